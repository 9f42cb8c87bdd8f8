//! The model against what is known of kernels.
