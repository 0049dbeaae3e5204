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

alter table public.messages add column rejection_reason text not null default '';
comment on column public.messages.rejection_reason is 'Why the user rejected a draft, in their words; empty if they did not say.';

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
alter table public.imports add column unlisted bigint not null default 0;
alter table public.imports add column filtered_out bigint not null default 0;
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

create table public.remembered_contacts (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  contact_key text not null,
  account text not null,
  contacted_at bigint,
  refused bigint not null,
  created_at bigint not null,
  primary key (user_id, id)
);
comment on table public.remembered_contacts is 'Whom an account contacted whose data is gone since, by a keyed hash.';
select outrider.let_owner_read('public.remembered_contacts');

insert into outrider.entities (entity, table_name, key_name) values
  ('identity_answer', 'identity_answers', 'id'),
  ('do_not_contact_import', 'do_not_contact_imports', 'id'),
  ('remembered_contact', 'remembered_contacts', 'id');
insert into outrider.event_kinds (kind, entity, verb, fenced) values
  ('LeadClaimed', 'lead', 'changes', false),
  ('LeadContactAllowed', 'lead', 'changes', false),
  ('DoNotContactImportStarted', 'do_not_contact_import', 'creates', false),
  ('DoNotContactImportFinished', 'do_not_contact_import', 'changes', false),
  ('DoNotContactImportUndone', 'do_not_contact_import', 'changes', false),
  ('ContactRemembered', 'remembered_contact', 'creates', false),
  ('IdentityAnswered', 'identity_answer', 'creates', false),
  ('IdentityAnswerTakenBack', 'identity_answer', 'changes', false);

create or replace function public.project_health() returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select json_build_object('schema_version', 2, 'bytes', pg_database_size(current_database()), 'unprotected', coalesce(
    json_agg(n.nspname || '.' || c.relname order by n.nspname, c.relname) filter (where not c.relrowsecurity), '[]'))
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'outrider') and c.relkind in ('r', 'p')
$$;

-- What several erasures leave of an entry is no more than each of them left, whichever came first.
create or replace function outrider.lesser_value(one text, other text) returns text
language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
declare
  -- A word, or one character or escape between words: what backend/domain/erasure/remains.py calls a piece.
  piece constant text := '((?:\(erased\)|\\+u[0-9a-f]{4}|[^] "(),;<>[{}|:\\])+)|((?:\\\\)*\\"|\\+[nrtbf]|(?:\\\\)+|[] "(),;<>[{}|:\\])';
  shapes text[];
  simpler text;
begin
  select array_agg(v.shape order by v.side) into shapes from (
    select given.side, coalesce(string_agg(coalesce(p.m[2], 'w'), '' order by p.n), '') as shape
    from (values (1, one), (2, other)) as given (side, value)
    left join lateral regexp_matches(given.value, piece, 'g') with ordinality as p (m, n) on true
    group by given.side
  ) as v;
  if shapes[1] <> shapes[2] then
    simpler := case when (length(shapes[1]), shapes[1] collate "C") < (length(shapes[2]), shapes[2] collate "C") then one else other end;
    return case left(simpler, 1) when '{' then '{}' when '[' then '[]' else simpler end;
  end if;
  return (
    select string_agg(case
      when a.m[2] is not null or a.m[1] = b.m[1] then coalesce(a.m[2], a.m[1])
      when a.quotes % 2 = 1 then '(erased)'
      when (a.m[1] <> 'null', length(a.m[1]), a.m[1] collate "C") < (b.m[1] <> 'null', length(b.m[1]), b.m[1] collate "C") then a.m[1]
      else b.m[1]
    end, '' order by a.n)
    from (
      select p.m, p.n, count(*) filter (where p.m[2] = '"') over (order by p.n) as quotes
      from regexp_matches(one, piece, 'g') with ordinality as p (m, n)
    ) as a
    join regexp_matches(other, piece, 'g') with ordinality as b (m, n) on b.n = a.n
  );
end
$$;
comment on function outrider.lesser_value is
  'Of a value of a payload that two erasures left: word by word if they only differ in words, else the simpler of both, and nothing of an object or a list.';

create or replace function outrider.lesser(one text, other text) returns text
language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
declare
  -- PostgreSQL refuses to look at some escapes: letters that nobody uses stand for them meanwhile.
  slash constant text := chr(64976);
  escape constant text := chr(64977);
begin
  if one = other then
    return one;
  end if;
  return (
    select '{' || coalesce(string_agg(to_json(name) || ':' || case
      when mine = theirs then mine
      when name in ('member_key', 'artifact_key', 'given_key') then
        case when (mine !~ '^"(erased-|deleted-|forgotten:)', length(mine), mine collate "C")
          < (theirs !~ '^"(erased-|deleted-|forgotten:)', length(theirs), theirs collate "C") then mine else theirs end
      else outrider.lesser_value(mine, theirs)
    end, ',' order by name collate "C"), '') || '}'
    from (
      select a.key as name, replace(replace(a.value::text, escape, '\u'), slash, '\\') as mine,
        replace(replace(b.value::text, escape, '\u'), slash, '\\') as theirs
      from json_each(replace(replace(one, '\\', slash), '\u', escape)::json) as a
      join json_each(replace(replace(other, '\\', slash), '\u', escape)::json) as b on b.key = a.key
    ) as fields
  );
end
$$;
comment on function outrider.lesser is
  'What remains of a payload of which two erasures left these: of each field no more than both of them left, whatever their order.';

create or replace function outrider.least_remains(remains text[]) returns text
language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
declare
  combined text := remains[1];
  payload text;
begin
  foreach payload in array remains loop
    combined := outrider.lesser(combined, payload);
  end loop;
  return combined;
end
$$;
comment on function outrider.least_remains is 'What remains of a payload of all that erasures left of it.';

create or replace function outrider.only_erased() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  -- `id` is generated, and not known yet before a row is written
  words constant text[] := array['id', 'change_payload', 'payload', 'salt', 'payload_digest'];
  was constant jsonb := to_jsonb(old);
  had constant text := coalesce(was ->> 'change_payload', was ->> 'payload');
  has constant text := coalesce(to_jsonb(new) ->> 'change_payload', to_jsonb(new) ->> 'payload');
begin
  if new.salt is null and new.payload_digest = coalesce(old.payload_digest, sha256(old.salt || convert_to(had, 'UTF8')))
    and (old.salt is not null or has = outrider.lesser(has, had)) and to_jsonb(new) - words = was - words then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name;
end
$$;

create or replace function outrider.keeps_states(one text, other text) returns boolean
language sql immutable strict set search_path = pg_catalog, pg_temp as $$
  -- PostgreSQL refuses to look at some escapes: letters that nobody uses stand for them meanwhile.
  select coalesce(bool_and(a.key is not null and b.key is not null and (a.value::text = b.value::text or not (
    coalesce(a.key, b.key) = any (array[
    'account', 'action_id', 'approval_id', 'artifact_type', 'blocked', 'claim', 'code', 'device_id', 'endorsement',
    'family', 'finished', 'format', 'given_by', 'history', 'import_id', 'kind', 'label', 'lead_id', 'made_by', 'media_type',
    'message_id', 'model', 'needs', 'previous', 'proposer', 'public_key', 'relation', 'reply_kind', 'request_id',
    'role', 'site', 'source', 'state', 'status', 'step', 'steps', 'task_id', 'tool', 'variant', 'verdict'
    ]) or coalesce(a.key, b.key) not in ('bytes', 'in_file')
      and (json_typeof(a.value) in ('number', 'boolean') or json_typeof(b.value) in ('number', 'boolean'))
  ))), true)
  from json_each(replace(replace(one, '\\', chr(64976)), '\u', chr(64977))::json) as a
  full join json_each(replace(replace(other, '\\', chr(64976)), '\u', chr(64977))::json) as b on b.key = a.key
$$;
comment on function outrider.keeps_states is
  'Whether what an erasure leaves of an event has all of its fields, and the numbers and states that no erasure alters.';

-- Erasing costs what is erased, however long the log is: entries are found by their digest, and a row's by the row.
create function outrider.digest_of(salt bytea, payload text, kept bytea) returns bytea
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(kept, sha256(salt || convert_to(payload, 'UTF8')))
$$;
comment on function outrider.digest_of is 'What the chain has of an entry''s words: the digest of salt and payload, kept once they are erased.';
revoke execute on function outrider.digest_of(bytea, text, bytea) from public;
create index event_log_digest on public.event_log using hash (outrider.digest_of(salt, change_payload, payload_digest));
create index audit_log_digest on public.audit_log using hash (outrider.digest_of(salt, payload, payload_digest));
create index event_log_entity on public.event_log (entity_id, campaign_id);

create function outrider.events_named(who uuid, stream text, entries json)
returns table (seq bigint, entity text, payload text, digest bytea, remains text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  -- Each is looked up by its digest, whatever the planner believes of the log.
  select l.seq, l.entity_type || ' ' || l.entity_id, l.change_payload, decode(n.key, 'hex'), n.value
  from json_each_text(entries) as n,
  lateral (
    select f.* from public.event_log f
    where outrider.digest_of(f.salt, f.change_payload, f.payload_digest) = decode(n.key, 'hex') offset 0
  ) as l
  where l.user_id = who and l.campaign_id = stream
$$;
comment on function outrider.events_named is 'The events that an erasure names by their digests, and what it leaves of each.';
revoke execute on function outrider.events_named(uuid, text, json) from public;

create function outrider.erase_entries(log text, words text, about text, who uuid, stream text, named json) returns text[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  part regclass;
  touched text[];
begin
  execute format('select e.tableoid from public.%I as e where e.user_id = $1 and e.campaign_id = $2 limit 1', log)
  into part using who, stream;
  if part is null then
    return null;
  end if;
  -- One statement for all, as planning each costs more than altering it. Each is looked up by its digest, whatever the planner
  -- believes of the log, and altered where it was found.
  execute format(
    'with erased as ('
    'update %1$s as e set salt = null, payload_digest = n.digest, '
    '%2$I = case when e.salt is null then outrider.lesser(e.%2$I, n.remains) else n.remains end '
    'from (select decode(key, ''hex''), value from json_each_text($3)) as n (digest, remains), '
    'lateral (select f.ctid as place, f.user_id, f.campaign_id from %1$s as f '
    'where outrider.digest_of(f.salt, f.%2$I, f.payload_digest) = n.digest offset 0) as found '
    'where e.ctid = found.place and found.user_id = $1 and found.campaign_id = $2 '
    'and (e.salt is not null or e.%2$I <> outrider.lesser(e.%2$I, n.remains)) returning %3$s as about) '
    'select array_agg(distinct about) from erased',
    part, words, about
  ) into touched using who, stream, named;
  return touched;
end
$$;
comment on function outrider.erase_entries is
  'Puts what is left in the place of the words of the entries that `named` names by their digests; what `about` says of each that had more.';
revoke execute on function outrider.erase_entries(text, text, text, uuid, text, json) from public;

create or replace function outrider.erase(who uuid, stream text, after_seq bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  named json;
  rewritten bigint;
  touched text[];
  part record;
begin
  -- Of two erasures of the same entry no more remains than both left, whichever came first.
  select json_object_agg(key, value) into named from (
    select n.key, outrider.least_remains(array_agg(n.value)) as value
    from public.event_log e, json_each_text(e.change_payload::json -> 'entries') as n
    where e.user_id = who and e.campaign_id = stream and e.seq > after_seq and e.kind = 'EntriesErased'
    group by n.key
  ) as least;
  if named is null then
    return;
  end if;
  select l.seq into rewritten
  from public.event_log e, outrider.events_named(who, stream, e.change_payload::json -> 'entries') as l
  where e.user_id = who and e.campaign_id = stream and e.seq > after_seq and e.kind = 'EntriesErased'
    and not outrider.keeps_states(l.payload, l.remains)
  limit 1;
  if rewritten is not null then
    raise sqlstate 'PT422' using message = 'append_refused',
      detail = format('An erasure would change what event %s says.', rewritten);
  end if;
  perform outrider.erase_entries('audit_log', 'payload', 'null', who, stream, named);
  touched := outrider.erase_entries(
    'event_log', 'change_payload', 'e.entity_type || '' '' || e.entity_id', who, stream, named);
  -- Their rows once more, from all that the log still says of them: the last of equal names counts.
  for part in
    select table_name, key_name, array_agg(key) as keys, array_agg('{' || body || '}') as bodies
    from (
      select n.table_name, n.key_name, case n.key_name when 'campaign_id' then stream else e.entity_id end as key,
        string_agg(substr(e.payload, 2, length(e.payload) - 2), ',' order by e.seq) filter (where e.payload <> '{}') as body
      from (
        select l.seq, l.entity_type, l.entity_id, case
          when l.change_payload ~ '\\u0000|\\ud|\\ufdd0|true|false' then outrider.flat(l.change_payload) else l.change_payload
        end as payload
        from unnest(touched) as entity (name),
        lateral (
          select f.* from public.event_log f
          where f.entity_id = split_part(entity.name, ' ', 2) and f.campaign_id = stream offset 0
        ) as l
        where l.user_id = who and l.entity_type || ' ' || l.entity_id = entity.name
      ) as e
      join outrider.entities n on n.entity = e.entity_type
      group by n.table_name, n.key_name, e.entity_id
    ) as remade
    where body is not null
    group by table_name, key_name
  loop
    perform outrider.alter_rows(part.table_name, part.key_name, who, stream, part.keys, part.bodies);
  end loop;
  -- What the last turn of the campaign's own said stands in another table, too.
  if exists (select from unnest(touched) as one where one like 'turn %') then
    update public.runtime_snapshot s set last_error = coalesce((
      select case when coalesce(turn ->> 'faulted', '') not in ('', '0') then turn ->> 'error' end
      from public.event_log l, lateral (select outrider.flat(l.change_payload)::json as turn) as told
      where l.user_id = who and l.campaign_id = stream and l.kind in ('TurnCompleted', 'TurnFaulted')
        and turn -> 'request_id' is null
      order by l.seq desc limit 1
    ), '')
    where s.user_id = who and s.campaign_id = stream;
  end if;
end
$$;
comment on function outrider.erase is
  'Does what the erasures among the events after `after_seq` say: payloads and salts of the entries that they name go, digests stay, and '
  'the rows lose what they had from them.';
revoke execute on function outrider.keeps_states(text, text) from public;
revoke execute on function outrider.least_remains(text[]) from public;
revoke execute on function outrider.lesser_value(text, text) from public;
revoke execute on function outrider.lesser(text, text) from public;

-- Nobody who was erased is counted.
create or replace view public.lead_counts with (security_invoker = true) as
  select user_id, campaign_id, status, count(*) as n from public.leads
  where blocked not in ('import_undone', 'moved') and full_name <> '(erased)' group by user_id, campaign_id, status;
