"""The SQL that prepares a project is run once, and again after each update of Outrider."""

from typing import Any

import psycopg
import pytest

from backend.ports.shared_store import SCHEMA_VERSION
from backend.store.replication.project_schema import schema_sql
from tests.postgres import Project

CATALOG = """
    with ours as (select oid, nspname from pg_namespace where nspname in ('public', 'outrider')),
    tables as (select c.oid, c.oid::regclass as name, c.relacl, c.relrowsecurity from pg_class c
      join ours on ours.oid = c.relnamespace where c.relkind in ('r', 'p', 'v'))
    select concat_ws(' ', 'column', t.name, a.attname, a.atttypid::regtype, a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
    from tables t join pg_attribute a on a.attrelid = t.oid
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum where a.attnum > 0 and not a.attisdropped
    union all
    select concat_ws(' ', pg_get_functiondef(p.oid), p.proacl, obj_description(p.oid))
    from pg_proc p join ours on ours.oid = p.pronamespace
    union all
    select concat_ws(' ', 'table', t.name, t.relacl, t.relrowsecurity, obj_description(t.oid)) from tables t
    union all
    select concat_ws(' ', 'constraint', o.conrelid::regclass, pg_get_constraintdef(o.oid))
    from pg_constraint o join ours on ours.oid = o.connamespace
    union all
    select pg_get_triggerdef(g.oid) from pg_trigger g join tables t on t.oid = g.tgrelid where not g.tgisinternal
    union all
    select i.indexdef from pg_indexes i join ours on ours.nspname = i.schemaname
    union all
    select p::text from pg_policies p
    union all
    select k::text from outrider.event_kinds k
    union all
    select e::text from outrider.entities e
    order by 1
"""

EARLIER = """
    alter table public.leads drop column greeting_name, drop column notes;
    drop table public.conflicts;
    delete from outrider.event_kinds where entity = 'conflict' or kind in ('GreetingChosen', 'LeadNoted');
    delete from outrider.entities where entity = 'conflict';
    update outrider.event_kinds set fenced = not fenced;
    drop function public.blob_digests;
    drop index event_log_entity;
    insert into public.leads (user_id, id, campaign_id, full_name, profile_url, member_key)
    values (gen_random_uuid(), 'l', 'c', 'Ada', 'https://x.invalid/in/ada', 'ada');
"""


def catalog(connection: psycopg.Connection[Any]) -> list[Any]:
    return [line for (line,) in connection.execute(CATALOG.encode())]


def test_run_again_it_adds_what_is_new_and_keeps_every_row_and_never_puts_back_an_older_version(
    project: Project,
) -> None:
    server = project.server
    with server.database() as database, psycopg.connect(server.url(database), autocommit=True) as admin:
        fresh = catalog(admin)
        server.run(database, schema_sql(), user="postgres")
        assert catalog(admin) == fresh
        server.run(database, EARLIER)
        assert catalog(admin) != fresh
        server.run(database, schema_sql(), user="postgres")
        assert catalog(admin) == fresh
        newer = schema_sql().replace(f"'schema_version', {SCHEMA_VERSION}", f"'schema_version', {SCHEMA_VERSION + 1}")
        server.run(database, newer, user="postgres")
        with pytest.raises(psycopg.errors.RaiseException, match="newer Outrider"):
            server.run(database, schema_sql(), user="postgres")
        assert catalog(admin) != fresh, "nothing was put back"
        assert admin.execute("select full_name, notes from public.leads").fetchall() == [("Ada", "")]
