-- The rows. Same names, columns and values as a device's SQLite (backend/store/migrations), with the user before each key.
--
-- Columns that hold JSON are `text`: they hold exactly the canonical string that SQLite holds, and `jsonb` would spell it anew.
-- So a row is the same in both, byte for byte. Times are milliseconds since 1970, UTC. Flags are 0 and 1.
--
-- Every row belongs to one user. Users read their own rows; nobody but the functions of the next files writes any.

create schema outrider;
comment on schema outrider is 'Outrider''s own: what no user reaches but through the functions in `public`.';
revoke all on schema outrider from public;

create function outrider.keep_private(kept regclass) returns void
language plpgsql set search_path = '' as $$
begin
  execute format('alter table %s enable row level security', kept);
  execute format('revoke all on table %s from public, anon, authenticated, service_role', kept);
end
$$;
comment on function outrider.keep_private is 'Nobody reads or writes this table. Hosted projects give new tables to everybody by default.';

create function outrider.let_owner_read(kept regclass) returns void
language plpgsql set search_path = '' as $$
begin
  perform outrider.keep_private(kept);
  execute format('grant select on table %s to authenticated', kept);
  execute format('create policy own_rows on %s for select to authenticated using ((select auth.uid()) = user_id)', kept);
end
$$;
comment on function outrider.let_owner_read is 'Users read their own rows of this table; nobody writes any.';

revoke execute on function outrider.keep_private(regclass) from public;
revoke execute on function outrider.let_owner_read(regclass) from public;

-- The logs. Partitions keep each index small; which one an entry is in depends on its stream alone.
create table public.event_log (
  user_id uuid not null,
  campaign_id text not null,
  seq bigint not null,
  id text not null generated always as (encode(substr(hash, 1, 16), 'hex')) stored,
  timestamp bigint not null,
  kind text not null,
  entity_type text not null,
  entity_id text not null,
  change_payload text,
  actor text not null,
  cause text not null,
  salt bytea,
  payload_digest bytea,
  hash bytea not null,
  primary key (user_id, campaign_id, seq),
  constraint whole_or_erased check (
    (change_payload is null) = (salt is null) and (change_payload is null) = (payload_digest is not null))
) partition by hash (user_id, campaign_id);
comment on table public.event_log is 'Every change of every row, in order, chained by hash. Only ever added to.';
comment on column public.event_log.change_payload is 'The new values of the changed columns, canonical JSON; null once erased.';
comment on column public.event_log.payload_digest is 'SHA-256 of salt and payload, kept only once both are erased.';
comment on column public.event_log.hash is 'SHA-256 of the predecessor''s hash, the payload''s digest and the metadata.';

create table public.audit_log (
  user_id uuid not null,
  campaign_id text not null,
  seq bigint not null,
  id text not null generated always as (encode(substr(hash, 1, 16), 'hex')) stored,
  timestamp bigint not null,
  action_type text not null,
  payload text,
  actor text not null,
  cause text not null,
  salt bytea,
  payload_digest bytea,
  hash bytea not null,
  primary key (user_id, campaign_id, seq),
  constraint whole_or_erased check (
    (payload is null) = (salt is null) and (payload is null) = (payload_digest is not null))
) partition by hash (user_id, campaign_id);
comment on table public.audit_log is 'What the agent proposed and did, in order, chained by hash. Only ever added to.';

create function outrider.refuse() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;
comment on function outrider.refuse is 'A log is only ever added to, whoever asks, its owner included.';
revoke execute on function outrider.refuse() from public;

do $$
declare
  kept text;
  part text;
begin
  foreach kept in array array['event_log', 'audit_log'] loop
    execute format('create trigger only_added_to before update or delete on public.%I for each row execute function outrider.refuse()', kept);
    execute format('create trigger never_emptied before truncate on public.%I execute function outrider.refuse()', kept);
    for n in 0..7 loop
      part := format('outrider.%I', kept || '_' || n);
      execute format('create table %s partition of public.%I for values with (modulus 8, remainder %s)', part, kept, n);
      execute format('create trigger never_emptied before truncate on %s execute function outrider.refuse()', part);
      execute format('comment on table %s is %L', part, 'A part of ' || kept || '.');
      perform outrider.keep_private(part::regclass);
    end loop;
  end loop;
end
$$;

create table public.log_heads (
  user_id uuid not null,
  campaign_id text not null,
  event_seq bigint not null default 0,
  event_hash bytea not null,
  audit_seq bigint not null default 0,
  audit_hash bytea not null,
  primary key (user_id, campaign_id)
);
comment on table public.log_heads is 'Where both chains of a stream end. Its row is locked while the stream is appended to.';

-- Projections: what the log amounts to. A unique rule is checked at the end of a statement, because an append makes and alters
-- all rows of a table at once; the local store has checked each step. Its index has the user last, so that a search by key can use
-- the primary key's alone. No foreign keys and no other indexes: lists are read from the local store.
create table public.campaigns (
  user_id uuid not null,
  id text not null,
  name text not null,
  goal text not null default '',
  status text not null,
  status_reason text not null default '',
  site text not null,
  account text not null,
  version bigint not null default 1,
  settings text not null,
  created_at bigint not null,
  proposer text not null default 'scripted',
  conversation_from bigint not null default 0,
  conversation_back bigint not null default 0,
  primary key (user_id, id)
);
comment on table public.campaigns is 'Campaigns: a goal, an account on a site, settings as canonical JSON.';

create table public.tasks (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  kind text not null,
  description text not null,
  status text not null,
  reason text not null default '',
  needs text not null,
  ready_at bigint not null default 0,
  rank bigint not null default 0,
  strikes bigint not null default 0,
  source text not null default 'campaign',
  lead_id text,
  preconditions text not null default '[]',
  metadata text not null default '{}',
  created_at bigint not null,
  primary key (user_id, id)
);
comment on table public.tasks is 'What a campaign has to do, by rank, once `needs` and `ready_at` allow it.';

create table public.commitments (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  task_id text not null,
  params text not null,
  source text not null,
  status text not null default 'open',
  detail text not null default '',
  checked_at bigint,
  primary key (user_id, id)
);
comment on table public.commitments is 'What must be verifiably true before a task is done.';

create table public.leads (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  full_name text not null,
  profile_url text not null,
  member_key text not null,
  job_title text not null default '',
  company text not null default '',
  email text not null default '',
  connected_on text,
  extra text not null default '{}',
  position bigint not null default 0,
  import_id text,
  status text not null default 'pending',
  weight_score bigint,
  score_reasons text not null default '[]',
  priority_override bigint,
  profile_updated_at bigint not null default 0,
  headline text not null default '',
  sequence_step bigint,
  relation text not null default 'none',
  visited_at bigint,
  invited_at bigint,
  accepted_at bigint,
  last_sent_at bigint,
  thread_read_at bigint,
  replied_at bigint,
  finished text not null default '',
  blocked text not null default '',
  notes text not null default '',
  tags text not null default '[]',
  primary key (user_id, id),
  unique (campaign_id, member_key, user_id) deferrable
);
comment on table public.leads is 'People a campaign may reach out to.';

create table public.imports (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  file text not null,
  format text not null,
  accepted bigint not null default 0,
  merged bigint not null default 0,
  unchanged bigint not null default 0,
  rejected bigint not null default 0,
  created_at bigint not null,
  finished_at bigint,
  primary key (user_id, id)
);
comment on table public.imports is 'Lead files that were read, and what became of their rows.';

create table public.rejected_rows (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  import_id text not null,
  line bigint not null,
  code text not null,
  reason text not null,
  raw text not null,
  primary key (user_id, id)
);
comment on table public.rejected_rows is 'Rows of lead files that were not taken, as they were, and why.';

create table public.messages (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  lead_id text not null,
  task_id text,
  step text not null default '',
  kind text not null,
  text text not null,
  status text not null,
  attempts bigint not null default 0,
  reason text not null default '',
  sent_at bigint,
  evidence text not null default '[]',
  created_at bigint not null,
  primary key (user_id, id)
);
comment on table public.messages is 'Drafts, messages on their way, sent ones, and replies.';

create table public.approvals (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  message_id text not null,
  digest text not null,
  status text not null,
  given_by text not null,
  expires_at bigint not null,
  created_at bigint not null,
  primary key (user_id, id)
);
comment on table public.approvals is 'A user''s yes to exactly one text, by its digest.';

create table public.actions (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  turn bigint not null,
  task_id text,
  lead_id text,
  message_id text,
  approval_id text,
  account text not null,
  family text not null,
  tool text not null,
  params text not null,
  seen_before bigint not null default 0,
  status text not null,
  claim text not null default '',
  said text not null default '',
  evidence text not null default '[]',
  intended_at bigint not null,
  settled_at bigint,
  primary key (user_id, id)
);
comment on table public.actions is 'Outside effects: an intent is written before the act and settled after it.';

create table public.incidents (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  account text not null,
  kind text not null,
  said text not null,
  status text not null,
  reason text not null default '',
  opened_at bigint not null,
  cleared_at bigint,
  evidence text not null default '',
  primary key (user_id, id)
);
comment on table public.incidents is 'What made an account''s campaigns stop.';

create table public.artifacts (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  artifact_type text not null,
  artifact_key text not null,
  source text not null check (source in ('user', 'agent')),
  content text not null,
  schema text not null default '{}',
  version bigint not null,
  created_at bigint not null,
  sha256 text not null default '',
  bytes bigint not null default 0,
  media_type text not null default 'text/plain',
  in_file bigint not null default 0,
  primary key (user_id, id),
  unique (campaign_id, artifact_type, artifact_key, version, user_id) deferrable
);
comment on table public.artifacts is 'Versions of what a campaign keeps, each immutable; a large one is in `blobs`, by its SHA-256.';

create table public.input_requests (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  task_id text,
  kind text not null,
  question text not null,
  choices text not null default '[]',
  payload text not null default '{}',
  status text not null,
  answer text not null default '',
  created_at bigint not null,
  primary key (user_id, id)
);
comment on table public.input_requests is 'What the user was asked, and the answer.';

create table public.scorings (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  blueprint bigint not null,
  status text not null default 'running',
  through text not null default '',
  leads bigint not null,
  done bigint not null default 0,
  changed bigint not null default 0,
  created_at bigint not null,
  finished_at bigint,
  primary key (user_id, id)
);
comment on table public.scorings is 'How far scoring all leads anew has come.';

create table public.conversations (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  role text not null,
  content text not null,
  created_at bigint not null,
  line bigint not null default 0,
  request_id text not null default '',
  turn bigint,
  kind text not null default 'said',
  payload text not null default '{}',
  given_key text,
  primary key (user_id, id),
  unique (campaign_id, given_key, user_id) deferrable
);
comment on table public.conversations is 'Lines between user and assistant.';

create table public.attachments (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  request_id text not null,
  place bigint not null,
  name text not null,
  content text not null,
  primary key (user_id, id),
  unique (request_id, place, user_id) deferrable
);
comment on table public.attachments is 'What the user gave with a request.';

create table public.turn_projection (
  user_id uuid not null,
  campaign_id text not null,
  number bigint not null,
  history text not null,
  steps text not null,
  proposal text not null default '',
  verdict text not null default 'accepted',
  faulted bigint not null default 0,
  task_id text,
  lead_id text,
  error text not null default '',
  model text not null default '',
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cost_micros bigint not null default 0,
  request_id text,
  primary key (user_id, campaign_id, number)
);
comment on table public.turn_projection is 'Turns of the agent: what was proposed, what became of it, what it cost.';

create table public.model_bills (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  model text not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  cost_micros bigint not null,
  primary key (user_id, id)
);
comment on table public.model_bills is 'Replies of a model that were paid for and became no turn.';

create table public.runtime_snapshot (
  user_id uuid not null,
  campaign_id text not null,
  state text not null,
  turn_lock bigint not null,
  loop_enabled bigint not null,
  last_turn bigint not null,
  last_error text not null,
  primary key (user_id, campaign_id)
);
comment on table public.runtime_snapshot is 'The state of a campaign''s turn machine.';

create table public.do_not_contact (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  member_key text not null,
  name text not null default '',
  reason text not null default '',
  status text not null,
  created_at bigint not null,
  primary key (user_id, id)
);
comment on table public.do_not_contact is 'Who must not be written to, in any campaign.';

create table public.config_kv (
  user_id uuid not null,
  campaign_id text not null,
  id text not null,
  value text not null,
  primary key (user_id, id, campaign_id)
);
comment on table public.config_kv is 'Settings of the workspace that are no secrets.';

create table public.souls (
  user_id uuid not null,
  id text not null,
  campaign_id text not null default 'workspace',
  version bigint not null,
  who text not null,
  restores bigint,
  created_at bigint not null,
  text text not null,
  primary key (user_id, id)
);
comment on table public.souls is 'Versions of the soul; the highest holds.';

create table public.skills (
  user_id uuid not null,
  id text not null,
  campaign_id text not null default 'workspace',
  name text not null,
  enabled bigint not null,
  metadata text not null default '{}',
  instructions text not null,
  description text not null default '',
  version text not null default '',
  applies_to text not null default '[]',
  source text not null default 'user',
  source_hash text not null default '',
  review_state text not null default 'unreviewed',
  removed bigint not null default 0,
  created_at bigint not null default 0,
  updated_at bigint not null default 0,
  document text not null default '',
  primary key (user_id, id)
);
comment on table public.skills is 'Skills: instructions by occasion, used while reviewed and enabled.';

create table public.configuration (
  user_id uuid not null,
  id text not null,
  campaign_id text not null default 'workspace',
  key_name text not null,
  encrypted_value text not null,
  key_version bigint not null,
  config_type text not null check (config_type in ('api_key', 'llm_provider', 'database')),
  updated_at bigint not null,
  primary key (user_id, id)
);
comment on table public.configuration is 'Secrets, sealed on a device: nonce and ciphertext as text, '''' once forgotten. No key to them is here.';

create table public.devices (
  user_id uuid not null,
  id text not null,
  campaign_id text not null default 'workspace',
  name text not null,
  created_at bigint not null,
  revoked_at bigint,
  primary key (user_id, id)
);
comment on table public.devices is 'Devices of this user; one with `revoked_at` gets no lease any more.';

create table public.execution_state (
  user_id uuid not null,
  campaign_id text not null,
  current_task_id text,
  current_lead_id text,
  current_action_id text,
  last_action_timestamp bigint not null,
  own_turn bigint not null default 0,
  primary key (user_id, campaign_id)
);
comment on table public.execution_state is 'Where a campaign stands; derived from its turns and actions.';

create table public.servitors (
  user_id uuid not null,
  id text not null,
  campaign_id text not null,
  name text not null,
  assignment text not null,
  status text not null,
  primary key (user_id, id)
);
comment on table public.servitors is 'Named by the specification; nothing writes it yet.';

select outrider.let_owner_read(kept) from unnest(array[
  'public.event_log', 'public.audit_log', 'public.log_heads', 'public.campaigns', 'public.tasks', 'public.commitments',
  'public.leads', 'public.imports', 'public.rejected_rows', 'public.messages', 'public.approvals', 'public.actions',
  'public.incidents', 'public.artifacts', 'public.input_requests', 'public.scorings', 'public.conversations',
  'public.attachments', 'public.turn_projection', 'public.model_bills', 'public.runtime_snapshot',
  'public.do_not_contact', 'public.config_kv', 'public.souls', 'public.skills', 'public.configuration',
  'public.devices', 'public.execution_state', 'public.servitors'
]::regclass[]) as kept;

-- Counts that a device keeps by triggers. A view asks with the rights of who asks.
create view public.lead_counts with (security_invoker = true) as
  select user_id, campaign_id, status, count(*) as n from public.leads group by user_id, campaign_id, status;
comment on view public.lead_counts is 'How many leads of a campaign have each status.';

create view public.task_counts with (security_invoker = true) as
  select user_id, campaign_id, kind, status, count(*) as n from public.tasks group by user_id, campaign_id, kind, status;
comment on view public.task_counts is 'How many tasks of a campaign there are, by kind and status.';

create view public.model_spend with (security_invoker = true) as
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
