//! The GPU that `--as` names.

use super::{CommandError, Result};
use host::device::model::Model;
use report::escape;

/// The name of the GPU that programs run on unless another is named.
pub const DEFAULT: &str = "a100";

/// Returns the model of a GPU by its name, in any case.
///
/// # Errors
///
/// There is no model of this GPU.
pub fn named(name: &str) -> Result<Model> {
    Model::named(&name.to_lowercase()).map_err(|_| {
        let names: Vec<&str> = Model::names().collect();
        CommandError::usage(format!(
            "no data on a GPU {}: there is data on {}",
            escape(name),
            names.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_told_with_those_that_are_known() {
        assert_eq!(named("H100").unwrap().key, "h100");
        let refused = named("b\u{1b}[31m").unwrap_err();
        assert_eq!(refused.exit, 2);
        assert!(refused.message.contains("t4") && !refused.message.contains('\u{1b}'), "{}", refused.message);
    }
}
