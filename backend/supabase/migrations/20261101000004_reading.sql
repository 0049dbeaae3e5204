-- What a device asks for. Rows and logs can also be selected, under row security; these answer in few round trips.

create function public.list_campaigns() returns json
language sql stable security definer set search_path = '' as $$
  select coalesce(json_agg(json_build_object(
    'campaign_id', h.campaign_id, 'name', coalesce(c.name, ''), 'status', coalesce(c.status, ''),
    'event_seq', h.event_seq, 'audit_seq', h.audit_seq) order by h.campaign_id), '[]')
  from public.log_heads h left join public.campaigns c on c.user_id = h.user_id and c.id = h.campaign_id
  where h.user_id = outrider.user_id() and (h.event_seq > 0 or h.audit_seq > 0)
$$;
comment on function public.list_campaigns is 'Every stream of the user with where its logs end, the workspace''s own (`workspace`) included.';

create function public.pull_events(campaign text, after_seq bigint, "limit" int) returns json
language sql stable security definer set search_path = '' as $$
  select coalesce(json_agg(json_build_object(
    'seq', e.seq, 'timestamp', e.timestamp, 'kind', e.kind, 'entity_type', e.entity_type, 'entity_id', e.entity_id,
    'payload', e.change_payload, 'actor', e.actor, 'cause', e.cause, 'salt', encode(e.salt, 'base64'),
    'digest', encode(e.payload_digest, 'base64'), 'hash', encode(e.hash, 'base64')) order by e.seq), '[]')
  from (
    select l.*, sum(octet_length(l.change_payload)) over (order by l.seq rows between unbounded preceding and 1 preceding) as before
    from public.event_log l
    where l.user_id = outrider.user_id() and l.campaign_id = pull_events.campaign and l.seq > after_seq
    order by l.seq limit least("limit", 5000)
  ) as e
  where coalesce(e.before, 0) < 4000000
$$;
comment on function public.pull_events is
  'The next events of a stream, as append_events takes them: at most `limit`, and not more once there are 4 MB of payloads.';

create function public.pull_audits(campaign text, after_seq bigint, "limit" int) returns json
language sql stable security definer set search_path = '' as $$
  select coalesce(json_agg(json_build_object(
    'seq', e.seq, 'timestamp', e.timestamp, 'action_type', e.action_type, 'payload', e.payload, 'actor', e.actor, 'cause', e.cause,
    'salt', encode(e.salt, 'base64'), 'digest', encode(e.payload_digest, 'base64'), 'hash', encode(e.hash, 'base64')) order by e.seq), '[]')
  from (
    select l.*, sum(octet_length(l.payload)) over (order by l.seq rows between unbounded preceding and 1 preceding) as before
    from public.audit_log l
    where l.user_id = outrider.user_id() and l.campaign_id = pull_audits.campaign and l.seq > after_seq
    order by l.seq limit least("limit", 5000)
  ) as e
  where coalesce(e.before, 0) < 4000000
$$;
comment on function public.pull_audits is 'Likewise of the audit log.';

create function public.project_health() returns json
language sql stable security definer set search_path = '' as $$
  select json_build_object('schema_version', 1, 'unprotected', coalesce(
    json_agg(n.nspname || '.' || c.relname order by n.nspname, c.relname) filter (where not c.relrowsecurity), '[]'))
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'outrider') and c.relkind in ('r', 'p') and outrider.user_id() is not null
$$;
comment on function public.project_health is 'The version of this schema, and the tables without row security: there must be none.';

do $$
declare
  asked text;
begin
  foreach asked in array array[
    'list_campaigns()', 'pull_events(text, bigint, int)', 'pull_audits(text, bigint, int)', 'project_health()'
  ] loop
    execute format('revoke execute on function public.%s from public, anon, service_role', asked);
    execute format('grant execute on function public.%s to authenticated', asked);
  end loop;
end
$$;
