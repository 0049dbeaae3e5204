-- The lease: which of a user's devices may act. Its rule in words: docs/architecture.md, "Local store and authority".
create table outrider.leases (
  user_id uuid primary key,
  fence bigint not null default 0,
  device_id text not null default '',
  device_name text not null default '',
  expires_at timestamptz not null default 'epoch',
  wanted_by text not null default ''
);
comment on table outrider.leases is 'One lease a user: limits are an account''s, so one device acts for all campaigns.';
comment on column outrider.leases.fence is 'Grows whenever the lease is acquired; what is recorded, kept or given back under an earlier one is refused or nothing.';
comment on column outrider.leases.wanted_by is 'The name of the device that asks its holder to hand it over.';
select outrider.keep_private('outrider.leases');

create function outrider.now() returns timestamptz language sql volatile set search_path = '' as $$ select clock_timestamp() $$;
comment on function outrider.now is 'The time that leases run by: the clock''s, not that of the transaction''s begin.';

create function outrider.user_id() returns uuid language plpgsql stable set search_path = '' as $$
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

create function outrider.locked_lease(device text) returns outrider.leases
language plpgsql set search_path = '' as $$
declare
  who uuid := outrider.user_id();
  lease outrider.leases;
begin
  if exists (select from public.devices d where d.user_id = who and d.id = device and d.revoked_at is not null) then
    raise sqlstate 'PT423' using message = 'lease_lost', detail = 'This device was signed out.';
  end if;
  insert into outrider.leases (user_id) values (who) on conflict do nothing;
  select * into strict lease from outrider.leases l where l.user_id = who for update;
  return lease;
end
$$;
comment on function outrider.locked_lease is 'The asking user''s lease, nobody else''s to change until the transaction ends. Refuses a revoked device.';

create function outrider.lease_told(lease outrider.leases, device text) returns json
language sql stable set search_path = '' as $$
  select json_build_object(
    'fence', case when lease.device_id = device then lease.fence else 0 end,
    'device_id', lease.device_id, 'device_name', lease.device_name,
    'seconds', greatest(0, extract(epoch from lease.expires_at - outrider.now())::double precision),
    'wanted_by', lease.wanted_by)
$$;
comment on function outrider.lease_told is 'A lease as a device is told of it: fence 0 says that another one has it.';

create function outrider.lasting(seconds double precision) returns interval
language sql immutable set search_path = '' as $$ select make_interval(secs => greatest(1, least(seconds, 300))) $$;
comment on function outrider.lasting is 'How long a lease is given for, at most five minutes: a lost device does not hold up the others for longer.';

create function public.acquire_lease(device_id text, device_name text, seconds double precision, take_over boolean default false)
returns json language plpgsql security definer set search_path = '' as $$
declare
  lease outrider.leases := outrider.locked_lease(acquire_lease.device_id);
  at timestamptz := outrider.now();  -- after the lock: waiting for it takes time, too
begin
  if lease.expires_at > at and lease.device_id <> acquire_lease.device_id then
    if take_over then
      update outrider.leases l set wanted_by = acquire_lease.device_name where l.user_id = lease.user_id returning l.* into lease;
    end if;
  else
    -- A new fence even for who has it: a release of the earlier one that is still under way must not end this one.
    update outrider.leases l
    set fence = l.fence + 1, device_id = acquire_lease.device_id, device_name = acquire_lease.device_name,
      expires_at = at + outrider.lasting(seconds), wanted_by = case when lease.expires_at > at then l.wanted_by else '' end
    where l.user_id = lease.user_id returning l.* into lease;
  end if;
  return outrider.lease_told(lease, acquire_lease.device_id);
end
$$;
comment on function public.acquire_lease is
  'The lease under a new fence, if it is free, over or this device''s; else whose it is, with fence 0. It is never taken away before it ends: '
  '`take_over` tells its holder who wants it.';

create function public.renew_lease(device_id text, fence bigint, seconds double precision)
returns json language plpgsql security definer set search_path = '' as $$
declare
  lease outrider.leases := outrider.locked_lease(renew_lease.device_id);
  at timestamptz := outrider.now();
begin
  if lease.device_id <> renew_lease.device_id or lease.fence <> renew_lease.fence or lease.expires_at <= at then
    raise sqlstate 'PT423' using message = 'lease_lost', detail = 'It ended, or another device has it.';
  end if;
  update outrider.leases l set expires_at = at + outrider.lasting(seconds)
  where l.user_id = lease.user_id returning l.* into lease;
  return outrider.lease_told(lease, renew_lease.device_id);
end
$$;
comment on function public.renew_lease is 'Keeps the lease for so long from now; refused (PT423) once it ended, even if nobody else has it.';

create function public.release_lease(device_id text, fence bigint)
returns void language sql security definer set search_path = '' as $$
  update outrider.leases l set expires_at = 'epoch'
  where l.user_id = outrider.user_id() and l.device_id = release_lease.device_id and l.fence = release_lease.fence
$$;
comment on function public.release_lease is 'Gives the lease back; nothing if it is not this device''s any more.';

create function outrider.check_fence(who uuid, given bigint) returns void
language plpgsql set search_path = '' as $$
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

revoke execute on all functions in schema outrider from public;
revoke execute on function public.acquire_lease(text, text, double precision, boolean) from public, anon, service_role;
revoke execute on function public.renew_lease(text, bigint, double precision) from public, anon, service_role;
revoke execute on function public.release_lease(text, bigint) from public, anon, service_role;
grant execute on function public.acquire_lease(text, text, double precision, boolean) to authenticated;
grant execute on function public.renew_lease(text, bigint, double precision) to authenticated;
grant execute on function public.release_lease(text, bigint) to authenticated;
