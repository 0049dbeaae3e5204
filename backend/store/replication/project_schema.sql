-- What a project has for Outrider. Run it once, and again after an update: it adds what is not there yet, and keeps every row.
--
-- Rows have the same names, columns and values as a device's SQLite (backend/store/migrations), with the user before each key.
-- Columns that hold JSON are `text`: they hold exactly the canonical string that SQLite holds, and `jsonb` would spell it anew.
-- So a row is the same in both, byte for byte. Times are milliseconds since 1970, UTC. Flags are 0 and 1.
--
-- Every row belongs to one user. Users read their own rows; nobody but the functions in `public` writes any.
--
-- In this order: the rows, the kinds of event, the lease, appending, reading, files. project_schema.py fills in what is in braces.

do $$
begin
  if to_regprocedure('public.project_health()') is not null then
    if (public.project_health() ->> 'schema_version')::int > {version} then
      raise exception 'This project was prepared by a newer Outrider. Nothing was changed: update this Outrider instead.';
    end if;
  end if;
end
$$;

-- ── The rows ──

create schema if not exists outrider;
comment on schema outrider is 'Outrider''s own: what no user reaches but through the functions in `public`.';
revoke all on schema outrider from public;

create or replace function outrider.keep_private(kept regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('alter table %s enable row level security', kept);
  execute format('revoke all on table %s from public, anon, authenticated, service_role', kept);
end
$$;
comment on function outrider.keep_private is 'Nobody reads or writes this table. Hosted projects give new tables to everybody by default.';

create or replace function outrider.let_owner_read(kept regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform outrider.keep_private(kept);
  execute format('grant select on table %s to authenticated', kept);
  execute format('drop policy if exists own_rows on %s', kept);
  execute format('create policy own_rows on %s for select to authenticated using ((select auth.uid()) = user_id)', kept);
end
$$;
comment on function outrider.let_owner_read is 'Users read their own rows of this table; nobody writes any.';

revoke execute on function outrider.keep_private(regclass) from public;
revoke execute on function outrider.let_owner_read(regclass) from public;

-- The logs. Some ids become names of files on the devices. Partitions keep each index small; which one an entry is in depends on its stream alone.
create table if not exists public.event_log (
  user_id uuid not null,
  campaign_id text not null check (campaign_id ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'),
  seq bigint not null,
  id text not null generated always as (encode(substr(hash, 1, 16), 'hex')) stored,
  timestamp bigint not null,
  kind text not null,
  entity_type text not null,
  entity_id text not null check (entity_id ~ '^[A-Za-z0-9][A-Za-z0-9_:.@-]{0,127}$'),
  change_payload text not null,
  actor text not null,
  cause text not null,
  salt bytea,
  payload_digest bytea,
  hash bytea not null,
  primary key (user_id, campaign_id, seq),
  constraint whole_or_erased check ((salt is null) = (payload_digest is not null))
) partition by hash (user_id, campaign_id);
comment on table public.event_log is 'Every change of every row, in order, chained by hash. Only ever added to, but for erasure.';
comment on column public.event_log.change_payload is 'The new values of the changed columns, canonical JSON; once erased, what is left of it.';
comment on column public.event_log.payload_digest is 'SHA-256 of salt and payload as they were, kept only once they are erased.';
comment on column public.event_log.hash is 'SHA-256 of the predecessor''s hash, the payload''s digest and the metadata.';

create table if not exists public.audit_log (
  user_id uuid not null,
  campaign_id text not null check (campaign_id ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'),
  seq bigint not null,
  id text not null generated always as (encode(substr(hash, 1, 16), 'hex')) stored,
  timestamp bigint not null,
  action_type text not null,
  payload text not null,
  actor text not null,
  cause text not null,
  salt bytea,
  payload_digest bytea,
  hash bytea not null,
  primary key (user_id, campaign_id, seq),
  constraint whole_or_erased check ((salt is null) = (payload_digest is not null))
) partition by hash (user_id, campaign_id);
comment on table public.audit_log is 'What the agent proposed and did, in order, chained by hash. Only ever added to, but for erasure.';

create or replace function outrider.refuse() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;
comment on function outrider.refuse is 'No entry leaves a log, whoever asks, its owner included.';

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
      when name = any ({unique_keys}) then
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
comment on function outrider.only_erased is 'An entry is altered in one way: salt and words go, and leave the digest of both as they were; of what is left more may go.';

do $$
declare
  kept text;
  part text;
begin
  foreach kept in array array['event_log', 'audit_log'] loop
    execute format('create or replace trigger only_added_to before delete on public.%I for each row execute function outrider.refuse()', kept);
    execute format('create or replace trigger only_erased before update on public.%I for each row execute function outrider.only_erased()', kept);
    execute format('create or replace trigger never_emptied before truncate on public.%I execute function outrider.refuse()', kept);
    for n in 0..7 loop
      part := format('outrider.%I', kept || '_' || n);
      execute format('create table if not exists %s partition of public.%I for values with (modulus 8, remainder %s)', part, kept, n);
      execute format('create or replace trigger never_emptied before truncate on %s execute function outrider.refuse()', part);
      execute format('comment on table %s is %L', part, 'A part of ' || kept || '.');
      perform outrider.keep_private(part::regclass);
    end loop;
  end loop;
end
$$;

create table if not exists public.log_heads (
  user_id uuid not null,
  campaign_id text not null check (campaign_id ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'),
  event_seq bigint not null default 0,
  event_hash bytea not null,
  audit_seq bigint not null default 0,
  audit_hash bytea not null,
  primary key (user_id, campaign_id)
);
comment on table public.log_heads is 'Where both chains of a stream end. Its row is locked while the stream is appended to.';

create table if not exists public.log_signatures (
  user_id uuid not null,
  campaign_id text not null check (campaign_id ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'),
  event_seq bigint not null,
  event_hash bytea not null,
  audit_seq bigint not null,
  audit_hash bytea not null,
  key_id text not null,
  signed_at bigint not null,
  signature bytea not null,
  primary key (user_id, campaign_id, event_seq, audit_seq, key_id)
);
comment on table public.log_signatures is 'Where a device signed that both logs of a stream end. The devices verify; this store only keeps.';

select outrider.let_owner_read(log) from unnest(array[
  'public.event_log', 'public.audit_log', 'public.log_heads', 'public.log_signatures'
]::regclass[]) as log;

-- Projections: what the log amounts to. A unique rule is checked at the end of a statement, because an append makes and alters
-- all rows of a table at once; the local store has checked each step. Its index has the user last, so that a search by key can use
-- the primary key's alone. No foreign keys and no other indexes: lists are read from the local store.
{projections}

-- What a device's tables check, too.
alter table public.campaigns drop constraint if exists campaign_id_form,
  add constraint campaign_id_form check (id ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$');
alter table public.artifacts drop constraint if exists artifact_maker,
  add constraint artifact_maker check (made_by ~ '^(user|model|controller|program( .+)?|script .+)$');
alter table public.configuration drop constraint if exists configuration_type,
  add constraint configuration_type check (config_type in ('api_key', 'llm_provider', 'database'));

create table if not exists outrider.device_sessions (
  user_id uuid not null,
  session_id uuid not null,
  device_id text not null check (device_id <> ''),
  primary key (user_id, session_id, device_id)
);
comment on table outrider.device_sessions is 'As which devices a sign-in has written: revoking one of them ends what that sign-in may write.';
select outrider.keep_private('outrider.device_sessions');

-- Counts that a device keeps by triggers. A view asks with the rights of who asks.
create or replace view public.lead_counts with (security_invoker = true) as
  select user_id, campaign_id, status, count(*) as n from public.leads
  where blocked not in ('import_undone', 'moved') and full_name <> '(erased)' group by user_id, campaign_id, status;
comment on view public.lead_counts is 'How many leads of a campaign have each status.';

create or replace view public.task_counts with (security_invoker = true) as
  select user_id, campaign_id, kind, status, count(*) as n from public.tasks group by user_id, campaign_id, kind, status;
comment on view public.task_counts is 'How many tasks of a campaign there are, by kind and status.';

create or replace view public.model_spend with (security_invoker = true) as
  select user_id, campaign_id, model, count(*) as replies, sum(tokens_in)::bigint as tokens_in,
    sum(tokens_out)::bigint as tokens_out, sum(cost_micros)::bigint as cost_micros
  from (
    select user_id, campaign_id, model, tokens_in, tokens_out, cost_micros from public.turn_projection where model <> ''
    union all
    select user_id, campaign_id, model, tokens_in, tokens_out, cost_micros from public.model_bills
  ) as paid
  group by user_id, campaign_id, model;
comment on view public.model_spend is 'What each model cost a campaign; money in millionths of a US dollar.';

revoke all on table public.lead_counts, public.task_counts, public.model_spend from public, anon, authenticated, service_role;
grant select on table public.lead_counts, public.task_counts, public.model_spend to authenticated;

-- ── The kinds of event ──
-- What can be recorded, as backend/domain/events/events.py says it.
create table if not exists outrider.entities (
  entity text primary key,
  table_name text not null,
  key_name text not null
);
comment on table outrider.entities is 'Where the rows of an entity live.';
comment on column outrider.entities.key_name is 'The column that the entity''s id is found by, beside user and campaign.';

create table if not exists outrider.event_kinds (
  kind text primary key,
  entity text not null references outrider.entities,
  verb text not null check (verb in ('creates', 'changes')),
  fenced boolean not null
);
comment on table outrider.event_kinds is 'What each kind of event is about, and whether it makes a row or alters one.';
comment on column outrider.event_kinds.fenced is 'Only the device that holds the lease may record it.';

select outrider.keep_private('outrider.entities');
select outrider.keep_private('outrider.event_kinds');

{entities}
{event_kinds}

-- ── The lease ──
-- Which of a user's devices may act. The rule in words: docs/architecture.md, "Local store and shared store".
create table if not exists outrider.leases (
  user_id uuid primary key,
  fence bigint not null default 0,
  device_id text not null default '',
  device_name text not null default '',
  holder text not null default '',
  expires_at timestamptz not null default 'epoch',
  wanted_by text not null default ''
);
comment on table outrider.leases is 'One lease a user: limits are an account''s, so one device acts for all campaigns.';
comment on column outrider.leases.fence is 'Grows whenever the lease is acquired; what is recorded, kept or given back under an earlier one is refused or nothing.';
comment on column outrider.leases.holder is 'The launch that has it: a copied data folder has the device''s id, too.';
comment on column outrider.leases.wanted_by is 'The name of the device that asks its holder to hand it over.';
select outrider.keep_private('outrider.leases');

create or replace function outrider.now() returns timestamptz language sql volatile set search_path = pg_catalog, pg_temp as $$ select clock_timestamp() $$;
comment on function outrider.now is 'The time that leases run by: the clock''s, not that of the transaction''s begin.';

create or replace function outrider.user_id() returns uuid language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  who uuid := auth.uid();
begin
  if who is null then
    raise insufficient_privilege using message = 'signed_out';
  end if;
  return who;
end
$$;
comment on function outrider.user_id is 'Who asks. Every function in `public` begins with it.';

create or replace function outrider.written_as() returns table (device_id text, revoked boolean)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select s.device_id, d.revoked_at is not null
  from outrider.device_sessions s left join public.devices d on d.user_id = s.user_id and d.id = s.device_id
  where s.user_id = outrider.user_id() and s.session_id = (auth.jwt() ->> 'session_id')::uuid
$$;
comment on function outrider.written_as is 'As which devices this sign-in has written, and which of them are revoked.';

create or replace function outrider.writer(device text) returns uuid
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  who constant uuid := outrider.user_id();
  session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
begin
  if session is null then
    raise insufficient_privilege using message = 'signed_out', detail = 'This token names no session.';
  end if;
  if device is not null then
    insert into outrider.device_sessions values (who, session, device) on conflict do nothing;
  end if;
  if exists (select from outrider.written_as() w where w.revoked) then
    raise sqlstate 'PT403' using message = 'device_revoked', detail = 'Another device revoked the access of this one.';
  end if;
  return who;
end
$$;
comment on function outrider.writer is
  'Who writes, as which device (null: as any that this sign-in was before). Refuses a sign-in that ever wrote as a device that is revoked, '
  'whatever it calls itself now.';

create or replace function outrider.locked_lease(device text) returns outrider.leases
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  who uuid := outrider.writer(device);
  lease outrider.leases;
begin
  insert into outrider.leases (user_id) values (who) on conflict do nothing;
  select * into strict lease from outrider.leases l where l.user_id = who for update;
  return lease;
end
$$;
comment on function outrider.locked_lease is 'The asking user''s lease, nobody else''s to change until the transaction ends.';

create or replace function outrider.lease_told(lease outrider.leases, holder text) returns json
language sql stable set search_path = pg_catalog, pg_temp as $$
  select json_build_object(
    'fence', case when lease.holder = lease_told.holder then lease.fence else 0 end,
    'device_id', lease.device_id, 'device_name', lease.device_name,
    'seconds', greatest(0, extract(epoch from lease.expires_at - outrider.now())::double precision),
    'wanted_by', lease.wanted_by)
$$;
comment on function outrider.lease_told is 'A lease as a launch is told of it: fence 0 says that another one has it.';

create or replace function outrider.lasting(seconds double precision) returns interval
language sql immutable set search_path = pg_catalog, pg_temp as $$ select make_interval(secs => greatest(1, least(seconds, 300))) $$;
comment on function outrider.lasting is 'How long a lease is given for, at most five minutes: a lost device does not hold up the others for longer.';

create or replace function outrider.acquire_lease(device_id text, device_name text, holder text, seconds double precision, take_over boolean default false)
returns json language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  lease outrider.leases := outrider.locked_lease(acquire_lease.device_id);
  at timestamptz := outrider.now();  -- after the lock: waiting for it takes time, too
begin
  if lease.expires_at > at and lease.holder is distinct from acquire_lease.holder then
    if take_over then
      update outrider.leases l set wanted_by = acquire_lease.device_name where l.user_id = lease.user_id returning l.* into lease;
    end if;
  else
    -- A new fence even for the launch that has it: a release of the earlier one that is still under way must not end this one.
    update outrider.leases l
    set fence = l.fence + 1, device_id = acquire_lease.device_id, device_name = acquire_lease.device_name, holder = acquire_lease.holder,
      expires_at = at + outrider.lasting(seconds), wanted_by = case when lease.expires_at > at then l.wanted_by else '' end
    where l.user_id = lease.user_id returning l.* into lease;
  end if;
  return outrider.lease_told(lease, acquire_lease.holder);
end
$$;
comment on function outrider.acquire_lease is
  'The lease under a new fence, if it is free, over or this launch''s; else whose it is, with fence 0. It is never taken away before it ends: '
  '`take_over` tells its holder who wants it.';

create or replace function outrider.renew_lease(device_id text, fence bigint, seconds double precision)
returns json language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  lease outrider.leases := outrider.locked_lease(renew_lease.device_id);
  at timestamptz := outrider.now();
begin
  if lease.device_id <> renew_lease.device_id or lease.fence <> renew_lease.fence or lease.expires_at <= at then
    raise sqlstate 'PT423' using message = 'lease_lost', detail = 'It ended, or another device has it.';
  end if;
  update outrider.leases l set expires_at = at + outrider.lasting(seconds)
  where l.user_id = lease.user_id returning l.* into lease;
  return outrider.lease_told(lease, lease.holder);
end
$$;
comment on function outrider.renew_lease is 'Keeps the lease for so long from now; refused (PT423) once it ended, even if nobody else has it.';

create or replace function outrider.release_lease(device_id text, fence bigint)
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
  update outrider.leases l set expires_at = 'epoch'
  where l.user_id = outrider.user_id() and l.device_id = release_lease.device_id and l.fence = release_lease.fence
    and exists (select from outrider.written_as() w where w.device_id = l.device_id)
    and not exists (select from outrider.written_as() w where w.revoked and w.device_id <> l.device_id)
$$;
comment on function outrider.release_lease is
  'Gives the lease back; nothing if it is not this device''s any more, or if this sign-in never was that device. A revoked device gives '
  'back its own and no other.';

create or replace function outrider.read_lease(holder text)
returns json language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  who constant uuid := outrider.user_id();
  lease outrider.leases;
begin
  select * into lease from outrider.leases l where l.user_id = who;
  if not found then
    lease := row(who, 0, '', '', '', 'epoch', '');
  end if;
  return outrider.lease_told(lease, read_lease.holder);
end
$$;
comment on function outrider.read_lease is 'Whose the lease is, asking for nothing; with 0 seconds left where nobody has it.';

create or replace function outrider.check_fence(who uuid, given bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  lease outrider.leases;
begin
  -- shared: no new holder while what this one records is being written
  select * into lease from outrider.leases l where l.user_id = who for share;
  if (lease.fence = given and lease.expires_at > outrider.now()) is not true  -- nor where there never was a lease
    or exists (select from public.devices d where d.user_id = who and d.id = lease.device_id and d.revoked_at is not null) then
    raise sqlstate 'PT423' using message = 'lease_lost', detail = 'Only the device that holds the lease may record this.';
  end if;
end
$$;
comment on function outrider.check_fence is 'Refuses what only the holder of the lease may record, unless `given` is the fence of a live lease.';


-- ── Appending ──
-- The one way anything is written: entries of a stream's two logs, and the rows that its events make or alter.
-- backend/store/log/chain.py and backend/domain/events/events.py (`row_changes`) say the same in Python; tests compare both, row for row.

create or replace function outrider.escaped(canonical text) returns text
language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
begin
  if canonical !~ '[^ -~]' then
    return canonical;
  end if;
  return (
    select string_agg(case
      when code between 32 and 126 then letter
      when code < 65536 then '\u' || lpad(to_hex(code), 4, '0')
      else '\u' || to_hex(55296 + ((code - 65536) >> 10)) || '\u' || to_hex(56320 + ((code - 65536) & 1023))
    end, '' order by place)
    from string_to_table(canonical, null) with ordinality as letters (letter, place), ascii(letter) as code
  );
end
$$;
comment on function outrider.escaped is 'JSON in ASCII alone, as hashes need it: other letters become \u escapes, large ones two halves.';

create or replace function outrider.entry_hash(previous bytea, salt bytea, payload text, digest bytea, metadata text) returns bytea
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return sha256(
    previous || coalesce(digest, sha256(salt || convert_to(payload, 'UTF8'))) || convert_to(outrider.escaped(metadata), 'UTF8'));
end
$$;
comment on function outrider.entry_hash is 'backend/store/log/chain.py: the predecessor''s hash, the payload''s salted digest, the metadata as canonical JSON.';

-- The fold.

create or replace function outrider.flat(payload text) returns text
language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
declare
  -- NUL and halves of a surrogate pair are legal in JSON, and PostgreSQL's text cannot hold them: it would refuse to look at
  -- such a value. A letter that nobody uses marks them meanwhile, and itself.
  mark constant text := '\ufdd0';
  letter constant text := chr(64976);
  shut text := replace(payload, '\\', '\u005c');  -- so that a `\u` is always an escape; canonical JSON has no \u005c of its own
begin
  shut := replace(replace(shut, mark, mark || 'fdd0'), '\u0000', mark || '0000');
  shut := regexp_replace(shut, '\\u(d[89ab][0-9a-f]{2})(?!\\ud[c-f])', '\\ufdd0\1', 'g');
  shut := regexp_replace(shut, '(?<!\\ud[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})', '\\ufdd0\1', 'g');
  return (
    select '{' || coalesce(string_agg(to_json(key) || ':' || case json_typeof(value)
      when 'boolean' then (value::text::boolean)::int::text
      when 'string' then to_json(replace(
        regexp_replace(value #>> '{}', letter || '(0000|d[89a-f][0-9a-f]{2})', chr(65533), 'g'), letter || 'fdd0', letter))::text
      when 'null' then 'null'
      when 'number' then value::text
      else to_json(replace(regexp_replace(value::text, '\\ufdd0([0-9a-f]{4})', '\\u\1', 'g'), '\u005c', '\\'))::text
    end, ','), '') || '}'
    from json_each(shut::json)
  );
end
$$;
comment on function outrider.flat is
  'The values of an event as rows hold them: flags as 0 and 1, nested values as their JSON text, U+FFFD for half a surrogate pair, and '
  'for NUL, which SQLite keeps: the one difference between both stores. The log has the exact text in both.';

create or replace function outrider.make_rows(target text, who uuid, bodies text[]) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  made bigint;
  columns text;
  given text;
begin
  select string_agg(format('%I', a.attname), ', '),
    string_agg(case
      when a.attname = 'user_id' then '$1'
      when a.atthasdef then format('coalesce(r.%I, %s)', a.attname, pg_get_expr(d.adbin, d.adrelid))
      else format('r.%I', a.attname)
    end, ', ')
  into columns, given
  from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = format('public.%I', target)::regclass and a.attnum > 0 and not a.attisdropped;
  execute format(
    'insert into public.%I (%s) select %s from unnest($2) as body, json_populate_record(null::public.%I, body::json) as r',
    target, columns, given, target
  ) using who, bodies;
  get diagnostics made = row_count;
  return made;
end
$$;
comment on function outrider.make_rows is 'Rows from their columns as JSON objects. What an object does not name has its default.';

create or replace function outrider.alter_rows(target text, key_name text, who uuid, stream text, keys text[], bodies text[]) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  altered bigint;
  columns text;
begin
  select string_agg(format('%I', a.attname), ', ') into columns
  from pg_catalog.pg_attribute a
  where a.attrelid = format('public.%I', target)::regclass and a.attnum > 0 and not a.attisdropped and a.attname <> 'user_id';
  -- Each row is looked up by its key, whatever the planner believes of the table: the cost must not grow with it.
  execute format(
    'update public.%1$I as t set (%2$s) = (select %2$s from json_populate_record(t, e.body::json)) '
    'from unnest($2, $3) as e (key, body), '
    'lateral (select f.ctid as place from public.%1$I as f where f.user_id = $1 and f.%3$I = e.key::%4$s offset 0) as found '
    'where t.ctid = found.place %5$s',
    target, columns, key_name, case key_name when 'number' then 'bigint' else 'text' end,
    case target when 'campaigns' then 'and t.id = $4' else 'and t.campaign_id = $4' end
  ) using who, keys, bodies, stream;
  get diagnostics altered = row_count;
  return altered;
end
$$;
comment on function outrider.alter_rows is
  'The rows of these keys with new values; what an object does not name stays.';

create or replace function outrider.fold(who uuid, stream text, after_seq bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  part record;
  done bigint;
  stranger text;
begin
  -- All that happened to one row becomes one object (the last of equal names counts), and all rows of a table one statement.
  for part in
    with facts as (
      select e.seq, e.timestamp, e.kind, e.entity_id, k.verb, n.table_name, n.key_name,
        case
          when e.change_payload ~ '\\u0000|\\ud|\\ufdd0|true|false' then outrider.flat(e.change_payload)
          else e.change_payload
        end as payload
      from public.event_log e
      join outrider.event_kinds k on k.kind = e.kind
      join outrider.entities n on n.entity = k.entity
      where e.user_id = who and e.campaign_id = stream and e.seq > after_seq
    ),
    turns as (
      select seq, timestamp, entity_id::bigint as number, payload::json as turn from facts where kind in ('TurnCompleted', 'TurnFaulted')
    ),
    actions as (
      select seq, timestamp, entity_id, payload::json as action from facts where kind = 'ActionIntended'
    ),
    changes (seq, table_name, key_name, key, verb, body) as (
      select seq, table_name, key_name, case key_name when 'campaign_id' then stream else entity_id end, verb,
        substr(payload, 2, length(payload) - 2)
      from facts
      union all
      select seq, 'runtime_snapshot', 'campaign_id', stream, 'creates',
        '"state":"Bootstrapping","turn_lock":0,"loop_enabled":0,"last_turn":0,"last_error":""'
      from facts where kind = 'CampaignCreated'
      union all
      select seq, 'execution_state', 'campaign_id', stream, 'creates', '"last_action_timestamp":' || timestamp
      from facts where kind = 'CampaignCreated'
      union all
      -- A turn for a request of the user leaves the campaign where it stands.
      select seq, 'runtime_snapshot', 'campaign_id', stream, 'changes', '"last_turn":' || number || case
        when turn -> 'request_id' is not null then ''
        when coalesce(turn ->> 'faulted', '') in ('', '0') then ',"state":"Idle","turn_lock":0,"last_error":""'
        else format(',"state":"Faulted","turn_lock":0,"last_error":%s', coalesce(turn -> 'error', '""'))
      end
      from turns
      union all
      select seq, 'execution_state', 'campaign_id', stream, 'changes', format(
        '"current_task_id":%s,"current_lead_id":%s,"current_action_id":null,"own_turn":%s,"last_action_timestamp":%s',
        coalesce(turn -> 'task_id', 'null'), coalesce(turn -> 'lead_id', 'null'), number, timestamp)
      from turns where turn -> 'request_id' is null
      union all
      select seq, 'runtime_snapshot', 'campaign_id', stream, 'changes', '"state":"ExecutingActions","turn_lock":1' from actions
      union all
      select seq, 'execution_state', 'campaign_id', stream, 'changes', format(
        '"current_task_id":%s,"current_lead_id":%s,"current_action_id":%s,"last_action_timestamp":%s',
        coalesce(action -> 'task_id', 'null'), coalesce(action -> 'lead_id', 'null'), to_json(entity_id), timestamp)
      from actions
    ),
    altered as (
      select table_name, key_name, key, (array_agg(verb order by seq))[1] = 'creates' as made,
        count(*) filter (where verb = 'creates') as makings,
        string_agg(body, ',' order by seq) filter (where body <> '') as body
      from changes group by table_name, key_name, key
    )
    select table_name, key_name, made, array_agg(key) as keys, bool_or(makings > made::int) as made_twice,
      array_agg('{' || concat_ws(',', body, to_json(key_name) || ':' || to_json(key),
        case when key_name = 'id' and table_name <> 'campaigns' or key_name = 'number'
          then '"campaign_id":' || to_json(stream) end,
        '"user_id":null') || '}') as bodies  -- whose row it is, no event says
    from altered group by table_name, key_name, made order by table_name, made
  loop
    select name into stranger from (
      select json_object_keys(body::json) as name from unnest(part.bodies) as body
      except select a.attname from pg_catalog.pg_attribute a
      where a.attrelid = format('public.%I', part.table_name)::regclass and a.attnum > 0 and not a.attisdropped
    ) as names;
    if stranger is not null then
      raise sqlstate 'PT422' using message = 'append_refused', detail = format('%s has no %s here.', part.table_name, stranger);
    end if;
    if part.made then
      done := outrider.make_rows(part.table_name, who, part.bodies);
    else
      done := outrider.alter_rows(part.table_name, part.key_name, who, stream, part.keys, part.bodies);
    end if;
    if part.made_twice or done <> cardinality(part.keys) then
      raise sqlstate 'PT422' using message = 'append_refused', detail = format(
        'Of %s, an event makes a row that is there, or alters one that is not.', part.table_name);
    end if;
  end loop;
end
$$;
comment on function outrider.fold is 'Makes and alters the rows that the events of a stream after `after_seq` are about.';

create or replace function outrider.keeps_states(one text, other text) returns boolean
language sql immutable strict set search_path = pg_catalog, pg_temp as $$
  -- PostgreSQL refuses to look at some escapes: letters that nobody uses stand for them meanwhile.
  select coalesce(bool_and(a.key is not null and b.key is not null and (a.value::text = b.value::text or not (
    coalesce(a.key, b.key) = any ({states}) or coalesce(a.key, b.key) <> all ({sizes})
      and (json_typeof(a.value) in ('number', 'boolean') or json_typeof(b.value) in ('number', 'boolean'))
  ))), true)
  from json_each(replace(replace(one, '\\', chr(64976)), '\u', chr(64977))::json) as a
  full join json_each(replace(replace(other, '\\', chr(64976)), '\u', chr(64977))::json) as b on b.key = a.key
$$;
comment on function outrider.keeps_states is
  'Whether what an erasure leaves of an event has all of its fields, and the numbers and states that no erasure alters.';

-- Erasing costs what is erased, however long the log is: entries are found by their digest, and a row's by the row.
create or replace function outrider.digest_of(salt bytea, payload text, kept bytea) returns bytea
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(kept, sha256(salt || convert_to(payload, 'UTF8')))
$$;
comment on function outrider.digest_of is 'What the chain has of an entry''s words: the digest of salt and payload, kept once they are erased.';
create index if not exists event_log_digest on public.event_log using hash (outrider.digest_of(salt, change_payload, payload_digest));
create index if not exists audit_log_digest on public.audit_log using hash (outrider.digest_of(salt, payload, payload_digest));
create index if not exists event_log_entity on public.event_log (entity_id, campaign_id);

create or replace function outrider.events_named(who uuid, stream text, entries json)
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

create or replace function outrider.erase_entries(log text, words text, about text, who uuid, stream text, named json) returns text[]
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

-- The logs.

create or replace function outrider.add_events(inout head public.log_heads, expected bigint, fence bigint, events json)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  total constant bigint := json_array_length(events);
  passed constant bigint := least(head.event_seq - expected, total);
  added bigint;
  fault record;
begin
  if expected > head.event_seq or passed > 0 and exists (
    select from json_to_recordset(events) as e (seq bigint, hash text)
    left join public.event_log l on l.user_id = head.user_id and l.campaign_id = head.campaign_id and l.seq = e.seq
    where e.seq <= head.event_seq and (e.seq <= expected or l.hash is distinct from decode(e.hash, 'base64'))
  ) then
    raise sqlstate 'PT409' using message = 'conflict';
  end if;

  insert into public.event_log (
    user_id, campaign_id, seq, timestamp, kind, entity_type, entity_id, change_payload, actor, cause, salt, payload_digest, hash)
  select head.user_id, head.campaign_id, e.seq, e.timestamp, e.kind, e.entity_type, e.entity_id, e.payload, e.actor, e.cause,
    decode(e.salt, 'base64'), decode(e.digest, 'base64'), decode(e.hash, 'base64')
  from json_to_recordset(events) as e (
    seq bigint, timestamp bigint, kind text, entity_type text, entity_id text, payload text, actor text, cause text,
    salt text, digest text, hash text)
  where e.seq > head.event_seq;
  get diagnostics added = row_count;
  if passed + added <> total then
    raise sqlstate 'PT409' using message = 'conflict';
  end if;
  if added = 0 then
    return;
  end if;

  select max(e.seq) as last,
    min(e.seq) filter (where k.kind is null or k.entity <> e.entity_type) as unknown,
    min(e.seq) filter (where json_typeof(e.change_payload::json) <> 'object' or left(e.change_payload, 1) <> '{') as formless,
    min(e.seq) filter (where e.hash is distinct from outrider.entry_hash(
      e.previous, e.salt, e.change_payload, e.payload_digest,
      concat('[', to_json(e.campaign_id), ',', e.seq, ',', e.timestamp, ',', to_json(e.kind), ',', to_json(e.entity_type), ',',
        to_json(e.entity_id), ',', to_json(e.actor), ',', to_json(e.cause), ']'))) as broken,
    bool_or(k.fenced) as fenced
  into fault
  from (
    select l.*, lag(l.hash, 1, head.event_hash) over (order by l.seq) as previous from public.event_log l
    where l.user_id = head.user_id and l.campaign_id = head.campaign_id and l.seq > head.event_seq
  ) as e
  left join outrider.event_kinds k on k.kind = e.kind;
  if fault.last <> head.event_seq + added then
    raise sqlstate 'PT409' using message = 'conflict';
  elsif coalesce(fault.unknown, fault.formless, fault.broken) is not null then
    raise sqlstate 'PT422' using message = 'append_refused', detail = case
      when fault.unknown is not null then format('Event %s is of a kind that is not known here.', fault.unknown)
      when fault.formless is not null then format('The payload of event %s is no JSON object.', fault.formless)
      else format('The hash of event %s does not follow.', fault.broken)
    end;
  elsif fault.fenced then
    perform outrider.check_fence(head.user_id, fence);
  end if;

  perform outrider.fold(head.user_id, head.campaign_id, head.event_seq);
  if head.campaign_id <> 'workspace'
    and not exists (select from public.campaigns c where c.user_id = head.user_id and c.id = head.campaign_id) then
    raise sqlstate 'PT422' using message = 'append_refused', detail = 'There is no such campaign.';
  end if;

  select l.seq, l.hash into head.event_seq, head.event_hash from public.event_log l
  where l.user_id = head.user_id and l.campaign_id = head.campaign_id and l.seq = fault.last;
end
$$;
comment on function outrider.add_events is 'Adds what is new of these events after `expected`, folds it, and says where the log ends then.';

create or replace function outrider.add_audits(inout head public.log_heads, expected bigint, audits json)
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  total constant bigint := json_array_length(audits);
  passed constant bigint := least(head.audit_seq - expected, total);
  added bigint;
  fault record;
begin
  if expected > head.audit_seq or passed > 0 and exists (
    select from json_to_recordset(audits) as e (seq bigint, hash text)
    left join public.audit_log l on l.user_id = head.user_id and l.campaign_id = head.campaign_id and l.seq = e.seq
    where e.seq <= head.audit_seq and (e.seq <= expected or l.hash is distinct from decode(e.hash, 'base64'))
  ) then
    raise sqlstate 'PT409' using message = 'conflict';
  end if;

  insert into public.audit_log (
    user_id, campaign_id, seq, timestamp, action_type, payload, actor, cause, salt, payload_digest, hash)
  select head.user_id, head.campaign_id, e.seq, e.timestamp, e.action_type, e.payload, e.actor, e.cause,
    decode(e.salt, 'base64'), decode(e.digest, 'base64'), decode(e.hash, 'base64')
  from json_to_recordset(audits) as e (
    seq bigint, timestamp bigint, action_type text, payload text, actor text, cause text, salt text, digest text, hash text)
  where e.seq > head.audit_seq;
  get diagnostics added = row_count;
  if passed + added <> total then
    raise sqlstate 'PT409' using message = 'conflict';
  end if;
  if added = 0 then
    return;
  end if;

  select max(e.seq) as last,
    min(e.seq) filter (where e.hash is distinct from outrider.entry_hash(
      e.previous, e.salt, e.payload, e.payload_digest,
      concat('[', to_json(e.campaign_id), ',', e.seq, ',', e.timestamp, ',', to_json(e.action_type), ',',
        to_json(e.actor), ',', to_json(e.cause), ']'))) as broken
  into fault
  from (
    select l.*, lag(l.hash, 1, head.audit_hash) over (order by l.seq) as previous from public.audit_log l
    where l.user_id = head.user_id and l.campaign_id = head.campaign_id and l.seq > head.audit_seq
  ) as e;
  if fault.last <> head.audit_seq + added then
    raise sqlstate 'PT409' using message = 'conflict';
  elsif fault.broken is not null then
    raise sqlstate 'PT422' using
      message = 'append_refused', detail = format('The hash of audit entry %s does not follow.', fault.broken);
  end if;

  select l.seq, l.hash into head.audit_seq, head.audit_hash from public.audit_log l
  where l.user_id = head.user_id and l.campaign_id = head.campaign_id and l.seq = fault.last;
end
$$;
comment on function outrider.add_audits is 'Adds what is new of these audit entries after `expected`, and says where the log ends then.';

create or replace function outrider.append_events(
  device_id text, campaign text, expected_seq bigint, fence bigint, events json, expected_audit_seq bigint default 0, audits json default '[]',
  signature json default null
) returns json
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  who constant uuid := outrider.writer(device_id);
  genesis constant bytea := decode(repeat('00', 32), 'hex');
  head public.log_heads;
  before public.log_heads;
begin
  insert into public.log_heads (user_id, campaign_id, event_hash, audit_hash) values (who, campaign, genesis, genesis)
  on conflict do nothing;
  -- One append a stream at a time.
  select * into strict before from public.log_heads h where h.user_id = who and h.campaign_id = campaign for update;
  head := outrider.add_audits(outrider.add_events(before, expected_seq, fence, events), expected_audit_seq, audits);
  perform outrider.erase(who, campaign, before.event_seq);
  if head.audit_seq > before.audit_seq and expected_seq + json_array_length(events) < before.event_seq then
    raise sqlstate 'PT409' using message = 'conflict';
  end if;
  update public.log_heads h
  set event_seq = head.event_seq, event_hash = head.event_hash, audit_seq = head.audit_seq, audit_hash = head.audit_hash
  where h.user_id = who and h.campaign_id = campaign and head is distinct from before;
  if signature is not null then
    insert into public.log_signatures
    select who, campaign, s.event_seq, decode(s.event_hash, 'base64'), s.audit_seq, decode(s.audit_hash, 'base64'), s.key_id, s.signed_at,
      decode(s.signature, 'base64')
    from json_to_record(signature) as s (
      event_seq bigint, event_hash text, audit_seq bigint, audit_hash text, key_id text, signed_at bigint, signature text)
    on conflict do nothing;
  end if;
  return json_build_object('event_seq', head.event_seq, 'audit_seq', head.audit_seq, 'workspace_seq', coalesce(
    (select h.event_seq from public.log_heads h where h.user_id = who and h.campaign_id = 'workspace'), 0));
exception
  when integrity_constraint_violation or program_limit_exceeded then
    raise sqlstate 'PT422' using message = 'append_refused', detail = sqlerrm;
  when data_exception then  -- its sentence would hold the value
    raise sqlstate 'PT422' using message = 'append_refused', detail = format('A value is not possible here (%s).', sqlstate);
end
$$;
comment on function outrider.append_events is
  'Appends what follows event `expected_seq` and audit entry `expected_audit_seq` of a stream, in one transaction, and folds it. What is '
  'there already with the same hash is passed over. Errors: PT409 conflict (the stream does not end there), PT423 lease_lost (`fence` is '
  'not that of a live lease, and an event needs it), PT403 device_revoked, PT422 append_refused (a broken chain, an unknown kind, an impossible row).';

-- ── Reading ──
-- What a device asks for. Rows and logs can also be selected, under row security, and so do these, with the rights of who asks: they
-- only answer in few round trips.

create or replace function public.list_campaigns() returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select coalesce(json_agg(json_build_object(
    'campaign_id', h.campaign_id, 'name', coalesce(c.name, ''), 'status', coalesce(c.status, ''),
    'event_seq', h.event_seq, 'audit_seq', h.audit_seq,
    'event_hash', case when h.event_seq > 0 then encode(h.event_hash, 'base64') end,
    'audit_hash', case when h.audit_seq > 0 then encode(h.audit_hash, 'base64') end) order by h.campaign_id), '[]')
  from public.log_heads h left join public.campaigns c on c.user_id = h.user_id and c.id = h.campaign_id
  where h.user_id = (select auth.uid()) and (h.event_seq > 0 or h.audit_seq > 0)
$$;
comment on function public.list_campaigns is 'Every stream of the user with where its logs end, the workspace''s own (`workspace`) included.';

create or replace function public.pull_events(campaign text, after_seq bigint, "limit" int) returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select coalesce(json_agg(json_build_object(
    'seq', e.seq, 'timestamp', e.timestamp, 'kind', e.kind, 'entity_type', e.entity_type, 'entity_id', e.entity_id,
    'payload', e.change_payload, 'actor', e.actor, 'cause', e.cause, 'salt', encode(e.salt, 'base64'),
    'digest', encode(e.payload_digest, 'base64'), 'hash', encode(e.hash, 'base64')) order by e.seq), '[]')
  from (
    select l.*, sum(octet_length(l.change_payload)) over (order by l.seq rows between unbounded preceding and 1 preceding) as before
    from public.event_log l
    where l.user_id = (select auth.uid()) and l.campaign_id = pull_events.campaign and l.seq > after_seq
    order by l.seq limit least("limit", 5000)
  ) as e
  where coalesce(e.before, 0) < 4000000
$$;
comment on function public.pull_events is
  'The next events of a stream, as append_events takes them: at most `limit`, and not more once there are 4 MB of payloads.';

create or replace function public.pull_audits(campaign text, after_seq bigint, "limit" int) returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select coalesce(json_agg(json_build_object(
    'seq', e.seq, 'timestamp', e.timestamp, 'action_type', e.action_type, 'payload', e.payload, 'actor', e.actor, 'cause', e.cause,
    'salt', encode(e.salt, 'base64'), 'digest', encode(e.payload_digest, 'base64'), 'hash', encode(e.hash, 'base64')) order by e.seq), '[]')
  from (
    select l.*, sum(octet_length(l.payload)) over (order by l.seq rows between unbounded preceding and 1 preceding) as before
    from public.audit_log l
    where l.user_id = (select auth.uid()) and l.campaign_id = pull_audits.campaign and l.seq > after_seq
    order by l.seq limit least("limit", 5000)
  ) as e
  where coalesce(e.before, 0) < 4000000
$$;
comment on function public.pull_audits is 'Likewise of the audit log.';

create or replace function public.pull_signatures(campaign text, after_event bigint, after_audit bigint, head_event bigint, head_audit bigint) returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  with beyond as (
    select s.* from public.log_signatures s
    where s.user_id = (select auth.uid()) and s.campaign_id = pull_signatures.campaign
      and (s.event_seq > after_event or s.audit_seq > after_audit) and s.event_seq <= head_event and s.audit_seq <= head_audit
  ),
  chosen as (
    (select distinct on (event_seq / 500) * from beyond order by event_seq / 500, event_seq desc, audit_seq desc)
    union
    (select distinct on (audit_seq / 500) * from beyond order by audit_seq / 500, audit_seq desc, event_seq desc)
  )
  select coalesce(json_agg(json_build_object(
    'campaign_id', c.campaign_id, 'event_seq', c.event_seq, 'event_hash', translate(encode(c.event_hash, 'base64'), E'\n', ''),
    'audit_seq', c.audit_seq, 'audit_hash', translate(encode(c.audit_hash, 'base64'), E'\n', ''), 'key_id', c.key_id,
    'signed_at', c.signed_at, 'signature', translate(encode(c.signature, 'base64'), E'\n', ''))), '[]')
  from chosen c
$$;
comment on function public.pull_signatures is
  'Signatures of a stream beyond one place and up to another: the last in each 500 entries of either log, as they were sent.';

create or replace function public.project_health() returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select json_build_object('schema_version', {version}, 'bytes', pg_database_size(current_database()), 'unprotected', coalesce(
    json_agg(n.nspname || '.' || c.relname order by n.nspname, c.relname) filter (where not c.relrowsecurity), '[]'))
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'outrider') and c.relkind in ('r', 'p')
$$;
comment on function public.project_health is 'The version of this schema, the size of the database, and the tables without row security: there must be none.';

do $$
declare
  asked text;
begin
  foreach asked in array array[
    'list_campaigns()', 'pull_events(text, bigint, int)', 'pull_audits(text, bigint, int)',
    'pull_signatures(text, bigint, bigint, bigint, bigint)', 'project_health()'
  ] loop
    execute format('revoke execute on function public.%s from public, anon, service_role', asked);
    execute format('grant execute on function public.%s to authenticated', asked);
  end loop;
end
$$;

-- ── Files ──
-- What events name by their SHA-256, in parts, because it is too large for an event. Whoever reads one verifies it.
create table if not exists public.blobs (
  user_id uuid not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  part int not null check (part >= 0),
  parts int not null check (parts > part),
  content bytea not null check (octet_length(content) <= 1048576),
  primary key (user_id, sha256, part)
);
comment on table public.blobs is 'Parts of files, each at most 1 MiB; `part` counts from 0 to `parts` - 1.';
alter table public.blobs alter column content set storage external;  -- often compressed already
select outrider.let_owner_read('public.blobs');

create or replace function outrider.put_blob(sha256 text, part int, parts int, content text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.blobs as b values (
    outrider.writer(null), put_blob.sha256, put_blob.part, put_blob.parts, decode(put_blob.content, 'base64'))
  on conflict on constraint blobs_pkey do update set parts = excluded.parts, content = excluded.content
  where (b.parts, b.content) is distinct from (excluded.parts, excluded.content);  -- a damaged part is mended by sending it again
exception
  when data_exception or integrity_constraint_violation then
    raise sqlstate 'PT422' using message = 'append_refused', detail = 'This is no part of a file.';
end
$$;
comment on function outrider.put_blob is 'Keeps one part of a file (base64, at most 1 MiB); the same again changes nothing.';

create or replace function public.get_blob(sha256 text, part int) returns text
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select translate(encode(b.content, 'base64'), E'\n', '') from public.blobs b
  where b.user_id = (select auth.uid()) and b.sha256 = get_blob.sha256 and b.part = get_blob.part
$$;
comment on function public.get_blob is 'One part of a file in base64; null if it is not there.';

create or replace function public.blob_digests(sha256 text) returns json
language sql stable security invoker set search_path = pg_catalog, pg_temp as $$
  select coalesce(json_object_agg(b.part, encode(sha256(b.content), 'hex')), '{}')
  from public.blobs b where b.user_id = (select auth.uid()) and b.sha256 = blob_digests.sha256
$$;
comment on function public.blob_digests is 'Which parts of a file are there, each with its own SHA-256: what is there whole need not be sent again.';

revoke execute on function public.get_blob(text, int) from public, anon, service_role;
revoke execute on function public.blob_digests(text) from public, anon, service_role;
grant execute on function public.get_blob(text, int) to authenticated;
grant execute on function public.blob_digests(text) to authenticated;

-- ── What users call to write, and of what they cannot read ──
-- Only `public` can be called from outside. A function there has no rights of its own: one that writes calls its namesake in `outrider`,
-- which checks who asks and as which device, and so does `read_lease`, of a table that nobody can read.
revoke execute on all functions in schema outrider from public;
grant usage on schema outrider to authenticated;

do $$
declare
  writing record;
begin
  for writing in
    select p.oid, p.proname as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
      array_to_string(p.proargnames, ', ') as names, obj_description(p.oid) as comment
    from pg_proc p where p.pronamespace = 'outrider'::regnamespace and p.prosecdef
  loop
    execute format('create or replace function public.%I(%s) returns %s language sql set search_path = pg_catalog, pg_temp as %L',
      writing.name, writing.arguments, writing.result, format('select outrider.%I(%s)', writing.name, writing.names));
    execute format('comment on function public.%I is %L', writing.name, writing.comment);
    execute format('revoke execute on function public.%I from public, anon, service_role', writing.name);
    execute format('grant execute on function public.%I, outrider.%I to authenticated', writing.name, writing.name);
  end loop;
end
$$;
