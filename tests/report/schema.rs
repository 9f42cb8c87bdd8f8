//! The JSON of every kind of finding, held to the tables in the documentation of `report::json`.

use super::{access, failed, finding, race, shared, view};
use gpulearn::report;
use gpulearn::sim::{FindingKind, HostPart, MemoryName, Target};
use serde_json::Value;

/// Field, type, whether it may be left out, of the table under a heading.
fn table(heading: &str) -> Vec<(String, String, bool)> {
    let source = include_str!("../../src/report/json.rs");
    let lines = source.lines().map(|line| line.trim_start_matches("//!").trim());
    let below = lines.skip_while(|line| *line != format!("# {heading}")).skip(1);
    let rows = below.take_while(|line| !line.starts_with("# ")).filter(|line| line.starts_with("| `"));
    let rows: Vec<_> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let ty = cells[2].trim_end_matches('?');
            (cells[1].trim_matches('`').to_string(), ty.to_string(), ty != cells[2])
        })
        .collect();
    assert!(!rows.is_empty(), "no table under {heading}");
    rows
}

fn hold(value: &Value, heading: &str) {
    let object = value.as_object().unwrap_or_else(|| panic!("{heading}: {value} is no object"));
    let table = table(heading);
    for key in object.keys() {
        assert!(table.iter().any(|(field, ..)| field == key), "{heading}: {key} is not documented");
    }
    for (field, ty, optional) in &table {
        let Some(value) = object.get(field) else {
            assert!(optional, "{heading}: {field} is missing in {object:?}");
            continue;
        };
        match ty.as_str() {
            "text" => assert!(value.is_string(), "{field}: {value}"),
            "number" => assert!(value.is_i64() || value.is_u64(), "{field}: {value}"),
            "list" => assert!(value.is_array(), "{field}: {value}"),
            "side" => hold(value, "A side"),
            "buffer" => hold(value, "A buffer"),
            "cost" => {
                let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
                assert_eq!(keys, ["least", "what", "yours"].iter().collect::<Vec<_>>());
            }
            "object" => assert!(value["kind"].is_string(), "{field}: {value}"),
            "excerpt" => assert!(value["lines"].is_array(), "{value}"),
            other => panic!("{field} has the type {other}, which is none"),
        }
    }
}

#[test]
fn every_finding_has_the_documented_fields() {
    let targets = [
        shared(5),
        Target::Buffer { name: "in".into(), size_bytes: 16, offset_bytes: -4 },
        Target::Constant { name: "c".into(), size_bytes: 16, offset_bytes: 2 },
        Target::Local { offset_bytes: 4, size_bytes: 8 },
        Target::Host { part: HostPart::Stack },
        Target::Nowhere { address: 7 },
        Target::None,
    ];
    for code in FindingKind::ALL {
        for target in &targets {
            let at = access(gpulearn::sim::AccessKind::Read, 3, 7, 62, target.clone());
            for other in [None, race().other] {
                let view = view(
                    "block-sum",
                    failed(vec![finding(*code, at.clone(), other)], true),
                    super::BLOCK_SUM,
                );
                let json: Value = serde_json::from_str(&report::json::to_line(&view)).unwrap();
                hold(&json["findings"][0], "A finding");
            }
        }
    }
}

#[test]
fn advice_has_the_documented_fields() {
    for view in super::advice::views() {
        let json: Value = serde_json::from_str(&report::json::to_line(&view)).unwrap();
        hold(&json, "A finding");
        assert_eq!(json["severity"], "advice");
    }
}

#[test]
fn a_side_names_its_expression_and_its_element() {
    let view = view("block-sum", failed(vec![race()], true), super::BLOCK_SUM);
    let json: Value = serde_json::from_str(&report::json::to_line(&view)).unwrap();
    let finding = &json["findings"][0];
    assert_eq!((finding["kernel"].as_str(), finding["case"].as_str()), (Some("block_sum"), Some("n = 8")));
    let other = &finding["other"];
    assert_eq!(other["expression"], "s[threadIdx.x]");
    assert_eq!((other["column"].as_u64(), other["column_end"].as_u64()), (Some(5), Some(19)));
    assert_eq!(
        (other["buffer"]["index"].as_i64(), other["buffer"]["offset_bytes"].as_i64()),
        (Some(5), Some(20))
    );
    assert!(finding["picture"].as_array().is_some_and(|lines| lines.len() <= 12), "{finding}");
}

/// A member of a structure in shared memory that the compiler keeps as a variable of its own.
#[test]
fn a_part_of_a_structure_has_neither_a_size_nor_an_index() {
    const SOURCE: &str = "struct Acc { float a, b; };
__global__ void f(float *out) {
    __shared__ Acc acc, accs[4];
    out[0] = acc.b + accs[2].b;
}
";
    for (variable, path) in [("acc", &[1][..]), ("accs", &[2, 1])] {
        let name = MemoryName::Part { of: variable.into(), path: path.into() };
        let target = Target::Shared { name, size_bytes: 4, offset_bytes: 0 };
        let at = access(gpulearn::sim::AccessKind::Read, 3, 4, 14, target);
        let view = view("f", failed(vec![finding(FindingKind::Uninitialised, at, None)], true), SOURCE);
        let json: Value = serde_json::from_str(&report::json::to_line(&view)).unwrap();
        let buffer = &json["findings"][0]["at"]["buffer"];
        hold(buffer, "A buffer");
        assert_eq!((buffer["name"].as_str(), buffer["size_bytes"].as_u64()), (Some(variable), Some(0)));
        assert_eq!((buffer["element_bytes"].as_u64(), buffer.get("index")), (Some(0), None));
    }
}
