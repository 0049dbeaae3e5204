-- Decisions that wait on one device for the user's choice: every device leaves the people alone whom they are about.

create table public.conflicts (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  device_id text not null,
  kind text not null,
  lead_ids text not null,
  decided_at bigint not null,
  created_at bigint not null,
  status text not null,
  primary key (user_id, id)
);
comment on table public.conflicts is 'Decisions that could not be reapplied behind another device''s, until the user chooses.';
select outrider.let_owner_read('public.conflicts');

insert into outrider.entities (entity, table_name, key_name) values ('conflict', 'conflicts', 'id');
insert into outrider.event_kinds (kind, entity, verb, fenced) values
  ('ConflictOpened', 'conflict', 'creates', false),
  ('ConflictSettled', 'conflict', 'changes', false);

create or replace function public.project_health() returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select json_build_object('schema_version', 3, 'bytes', pg_database_size(current_database()), 'unprotected', coalesce(
    json_agg(n.nspname || '.' || c.relname order by n.nspname, c.relname) filter (where not c.relrowsecurity), '[]'))
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'outrider') and c.relkind in ('r', 'p')
$$;
