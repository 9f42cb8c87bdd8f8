//! Tests of the model against known facts about kernels.
