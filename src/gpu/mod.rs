//! The real GPU: the only user of cudarc's driver.
