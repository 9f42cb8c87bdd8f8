//! One file a command; colour only here.
