-- People: which campaign a person is with, and what the user answered about who is who.

alter table public.leads add column claimed_at bigint;
alter table public.leads add column contact_anyway text not null default '';
comment on column public.leads.claimed_at is 'When the campaign began to be in touch with this person.';
comment on column public.leads.contact_anyway is
  'The reason for which the user lets the campaign write although another one is in touch with them.';

alter table public.leads add column withdrawn_at bigint;
alter table public.messages add column source text not null default '';
comment on column public.leads.withdrawn_at is 'When the invitation to this person was taken back.';
comment on column public.messages.source is
  'How a message came to be on record that Outrider did not send: seen, reported or export; empty if that was not recorded.';

create table public.identity_answers (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  member_keys text not null,
  same bigint not null,
  status text not null,
  created_at bigint not null,
  primary key (user_id, id)
);
comment on table public.identity_answers is 'Whether leads are one person, as the user answered.';
select outrider.let_owner_read('public.identity_answers');

alter table public.do_not_contact add column import_id text not null default '';
create table public.do_not_contact_imports (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  file text not null,
  people bigint not null default 0,
  companies bigint not null default 0,
  domains bigint not null default 0,
  already bigint not null default 0,
  rejected bigint not null default 0,
  leads_stopped bigint not null default 0,
  messages_withdrawn bigint not null default 0,
  created_at bigint not null,
  finished_at bigint,
  entries_removed bigint not null default 0,
  leads_released bigint not null default 0,
  undone_at bigint,
  primary key (user_id, id)
);
comment on table public.do_not_contact_imports is 'Do-not-contact files that were read, and what became of their rows.';
select outrider.let_owner_read('public.do_not_contact_imports');

insert into outrider.entities (entity, table_name, key_name) values
  ('identity_answer', 'identity_answers', 'id'),
  ('do_not_contact_import', 'do_not_contact_imports', 'id');
insert into outrider.event_kinds (kind, entity, verb, fenced) values
  ('LeadClaimed', 'lead', 'changes', false),
  ('LeadContactAllowed', 'lead', 'changes', false),
  ('DoNotContactImportStarted', 'do_not_contact_import', 'creates', false),
  ('DoNotContactImportFinished', 'do_not_contact_import', 'changes', false),
  ('DoNotContactImportUndone', 'do_not_contact_import', 'changes', false),
  ('IdentityAnswered', 'identity_answer', 'creates', false),
  ('IdentityAnswerTakenBack', 'identity_answer', 'changes', false);

create or replace function public.project_health() returns json
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select json_build_object('schema_version', 2, 'bytes', pg_database_size(current_database()), 'unprotected', coalesce(
    json_agg(n.nspname || '.' || c.relname order by n.nspname, c.relname) filter (where not c.relrowsecurity), '[]'))
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'outrider') and c.relkind in ('r', 'p') and outrider.user_id() is not null
$$;
