"""What a condition or a statement may try in order to reach files, the network or settings; all of it is refused.

``{file}`` stands for a file that there is, ``{new}`` for one that there must not be.
"""

from __future__ import annotations

BEHIND = ["limit (1", "offset (1", "order by (ply", "using sample (1 rows", "union all (select 1", "limit (select 1"]
TABLES = [
    "read_csv('{file}')", "read_text('{file}')", "read_blob('{file}')", "read_parquet('{file}')", "read_json('{file}')",
    "sniff_csv('{file}')", "glob('{file}')", "'{file}'", "duckdb_settings()", "duckdb_secrets()", "duckdb_logs()",
    "'https://example.org/x.csv'", "query('select 1')", "query_table('positions')", "pragma_version()",
    "json_execute_serialized_sql(json_serialize_sql('select 1'))", "which_secret('a', 's3')",
]  # fmt: skip
CALLS = [
    "getenv('HOME')", "current_setting('threads')", "\"current_setting\"('threads')", "main.current_setting('threads')",
    "system.main.current_setting('threads')", "getvariable('x')", "set_config('threads', '1')", "write_log('x')",
    "setseed(0.5)", "nextval('x')", "try(getenv('HOME'))", "list_transform([1], lambda x: current_setting('threads'))",
]  # fmt: skip
STATEMENTS = [
    "copy (select 1) to '{new}'", "export database '{new}'", "attach '{new}'", "pragma database_list",
    "set threads = 3", "reset threads", "set enable_external_access = true", "install httpfs", "load httpfs",
    "create table x as select 1", "create macro x() as 1", "drop table positions", "insert into positions values (1)",
    "call pragma_version()", "use memory", "checkpoint", "explain select 1", "select 1; select 2",
    "prepare x as select 1",
]  # fmt: skip


def conditions_that_reach_out() -> list[str]:
    nested = [form.format(table) for table in TABLES for form in ("exists(from {})", "ply in (from {})")]
    nested += [f"later(exists(from {table}))" for table in TABLES]
    nested += [f"count_if(exists(from {table})) over game > 0" for table in TABLES]
    calls = [f"{call} is null" for call in [*CALLS, *(table for table in TABLES if table[0] != "'")]]
    behind = [f"true) {clause}" for clause in BEHIND] + [f"ply = 0 -- x\n) {clause}" for clause in BEHIND]
    others = [
        "columns('.*') is null",
        "columns(*) is null",
        "_row = 0",
        "positions._game = 0",
        "array(select 1)[1] = 1",
    ]
    return [*nested, *calls, *behind, *others, *STATEMENTS]


def statements_that_reach_out() -> list[str]:
    forms = ["select * from {}", "select (select count(*) from {}) from positions", "with x as (from {}) from x, games"]
    asked = [form.format(table) for table in TABLES for form in forms]
    return [*asked, *map("select {} from positions".format, CALLS), *STATEMENTS]
