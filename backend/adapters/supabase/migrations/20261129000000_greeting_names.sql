-- What the user says a person is called in a greeting.

alter table public.leads add column greeting_name text not null default '';
comment on column public.leads.greeting_name is 'What the user says they are called in a greeting; empty where their name decides.';

insert into outrider.event_kinds (kind, entity, verb, fenced) values
  ('GreetingChosen', 'lead', 'changes', false);

create or replace function public.project_health() returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select json_build_object('schema_version', 4, 'bytes', pg_database_size(current_database()), 'unprotected', coalesce(
    json_agg(n.nspname || '.' || c.relname order by n.nspname, c.relname) filter (where not c.relrowsecurity), '[]'))
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'outrider') and c.relkind in ('r', 'p')
$$;
