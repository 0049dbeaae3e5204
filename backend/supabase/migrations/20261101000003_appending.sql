-- The one way anything is written: entries of a stream's two logs, and the rows that its events make or alter.
-- backend/store/chain.py and backend/domain/events.py (`row_changes`) say the same in Python; tests compare both, row for row.

-- ── hashes ──

create function outrider.escaped(canonical text) returns text
language plpgsql immutable strict set search_path = '' as $$
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

create function outrider.entry_hash(previous bytea, salt bytea, payload text, digest bytea, metadata text) returns bytea
language plpgsql immutable set search_path = '' as $$
begin
  return sha256(
    previous || coalesce(sha256(salt || convert_to(payload, 'UTF8')), digest) || convert_to(outrider.escaped(metadata), 'UTF8'));
end
$$;
comment on function outrider.entry_hash is 'backend/store/chain.py: the predecessor''s hash, the payload''s salted digest, the metadata as canonical JSON.';

-- ── the fold ──

create function outrider.flat(payload text) returns text
language plpgsql immutable strict set search_path = '' as $$
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

create function outrider.make_rows(target text, who uuid, bodies text[]) returns bigint
language plpgsql set search_path = '' as $$
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

create function outrider.alter_rows(target text, key_name text, who uuid, stream text, keys text[], bodies text[]) returns bigint
language plpgsql set search_path = '' set enable_seqscan = off as $$
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
    case when target <> 'campaigns' then 'and t.campaign_id = $4' end
  ) using who, keys, bodies, stream;
  get diagnostics altered = row_count;
  return altered;
end
$$;
comment on function outrider.alter_rows is
  'The rows of these keys with new values; what an object does not name stays.';

create function outrider.placeholder(target text) returns text
language sql stable set search_path = '' as $$
  select string_agg(to_json(a.attname) || ':' || case a.atttypid when 'int8'::regtype then '0' else '""' end, ',')
  from pg_catalog.pg_attribute a
  where a.attrelid = format('public.%I', target)::regclass and a.attnum > 0 and a.attnotnull and not a.atthasdef
    and a.attname <> 'user_id'
$$;
comment on function outrider.placeholder is 'What an erased creation leaves: nothing, in the columns that must not be missing.';

create function outrider.fold(who uuid, stream text, after_seq bigint) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  part record;
  done bigint;
  stranger text;
begin
  -- All that happened to one row becomes one object (the last of equal names counts), and all rows of a table one statement.
  for part in
    with facts as (
      select e.seq, e.timestamp, e.kind, e.entity_id, e.change_payload is null as erased, k.verb, n.table_name, n.key_name,
        case
          when e.change_payload is null then '{}'
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
        case when erased and verb = 'creates' then outrider.placeholder(table_name) else substr(payload, 2, length(payload) - 2) end
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
        when turn -> 'request_id' is null then format(',"state":"%s","turn_lock":0,"last_error":%s',
          case when coalesce(turn ->> 'faulted', '') in ('', '0') then 'Idle' else 'Faulted' end, coalesce(turn -> 'error', '""'))
        else ''
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

-- ── the logs ──

create function outrider.add_events(inout head public.log_heads, expected bigint, fence bigint, events json)
language plpgsql set search_path = '' set enable_seqscan = off as $$
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

create function outrider.add_audits(inout head public.log_heads, expected bigint, audits json)
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  total constant bigint := json_array_length(audits);
  passed constant bigint := least(head.audit_seq - expected, total);
  added bigint;
  fault record;
begin
  if total = 0 then
    return;
  end if;
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

create function public.append_events(
  campaign text, expected_seq bigint, fence bigint, events json, expected_audit_seq bigint default 0, audits json default '[]'
) returns json
language plpgsql security definer set search_path = '' as $$
declare
  who constant uuid := outrider.user_id();
  genesis constant bytea := decode(repeat('00', 32), 'hex');
  head public.log_heads;
  before public.log_heads;
begin
  insert into public.log_heads (user_id, campaign_id, event_hash, audit_hash) values (who, campaign, genesis, genesis)
  on conflict do nothing;
  -- One append a stream at a time.
  select * into strict before from public.log_heads h where h.user_id = who and h.campaign_id = campaign for update;
  head := outrider.add_audits(outrider.add_events(before, expected_seq, fence, events), expected_audit_seq, audits);
  if head.audit_seq > before.audit_seq and expected_seq + json_array_length(events) < before.event_seq then
    raise sqlstate 'PT409' using message = 'conflict';
  end if;
  update public.log_heads h
  set event_seq = head.event_seq, event_hash = head.event_hash, audit_seq = head.audit_seq, audit_hash = head.audit_hash
  where h.user_id = who and h.campaign_id = campaign and head is distinct from before;
  return json_build_object('event_seq', head.event_seq, 'audit_seq', head.audit_seq, 'workspace_seq', coalesce(
    (select h.event_seq from public.log_heads h where h.user_id = who and h.campaign_id = 'workspace'), 0));
exception
  when integrity_constraint_violation or program_limit_exceeded then
    raise sqlstate 'PT422' using message = 'append_refused', detail = sqlerrm;
  when data_exception then  -- its sentence would hold the value
    raise sqlstate 'PT422' using message = 'append_refused', detail = format('A value is not possible here (%s).', sqlstate);
end
$$;
comment on function public.append_events is
  'Appends what follows event `expected_seq` and audit entry `expected_audit_seq` of a stream, in one transaction, and folds it. What is '
  'there already with the same hash is passed over. Errors: PT409 conflict (the stream does not end there), PT423 lease_lost (`fence` is '
  'not that of a live lease, and an event needs it), PT422 append_refused (a broken chain, an unknown kind, an impossible row).';

revoke execute on all functions in schema outrider from public;
revoke execute on function public.append_events(text, bigint, bigint, json, bigint, json) from public, anon, service_role;
grant execute on function public.append_events(text, bigint, bigint, json, bigint, json) to authenticated;
