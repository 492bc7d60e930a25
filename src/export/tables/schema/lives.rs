//! The tables of what replaying a snapshot tells: every life with its category, and the figures of each device.

use super::{DEVICE, STACK, Table, TableId, Type, col, int, some_int, some_text};

pub(super) const CATEGORIES: Table = Table {
    id: TableId::Categories,
    name: "categories",
    columns: &[some_text("name"), some_text("title_en"), some_text("title_zh")],
    indexes: &[],
};

pub(super) const LIVES: Table = Table {
    id: TableId::Lives,
    name: "lives",
    columns: &[
        DEVICE,
        some_int("address"),
        some_int("size"),
        some_int("block_size"),
        int("begin_event"),
        int("end_event"),
        int("free_requested_event"),
        int("stream"),
        STACK,
        col("category_id", Type::Integer, "REFERENCES categories(id)"),
        some_int("is_inferred"),
        some_int("is_initial"),
        some_int("is_workspace"),
    ],
    indexes: &[],
};

pub(super) const FIGURES: Table = Table {
    id: TableId::Figures,
    name: "figures",
    columns: &[DEVICE, some_text("name"), int("value")],
    indexes: &[],
};
