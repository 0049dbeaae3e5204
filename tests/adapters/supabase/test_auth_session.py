"""Signing in and staying signed in, against the stand-in for a hosted project."""

import threading
from collections.abc import Callable

import pytest

from backend.adapters.supabase.auth_session import FILE, AuthSession
from backend.adapters.supabase.project import SupabaseProject as Address
from backend.domain.events.events import WORKSPACE
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreUnreachableError
from tests.fakes.entries import Stream
from tests.fakes.outgoing import OpenDoor, nobody_else
from tests.fakes.sealed import OpenFiles
from tests.postgres import Project
from tests.supabase.signed_in import PASSWORD, Devices, hosted, opened
from tests.supabase_gateway.answer import Answer
from tests.supabase_gateway.auth import RefusalError

ADA, EVE = "ada@example.test", "eve@example.test"
BACK = "http://127.0.0.1:49152/sign-in/mark"


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(OutriderError) as refused:
        act()
    return refused.value.code


def signed_out(act: Callable[[], object]) -> bool:
    with pytest.raises(SharedStoreRefusedError) as refused:
        act()
    return refused.value.code == "signed_out"


# --- signing in ---


def test_whoever_signs_in_on_another_device_has_the_same_streams(devices: Devices) -> None:
    here, there = devices.of(ADA), devices.of(ADA)
    here.shared_store.append(Stream().settings(3).batch(), None)
    assert there.shared_store.streams() == here.shared_store.streams() != []
    assert here.sign_in.saved_session() != there.sign_in.saved_session()


def test_a_device_that_starts_again_is_still_signed_in(devices: Devices) -> None:
    here = devices.of(ADA)
    again = devices.fresh(files=here.files)
    assert again.sign_in.saved_session() == here.sign_in.saved_session()
    assert again.shared_store.streams() == []


def test_nobody_else_s_session_is_kept_or_used_for_whom_a_workspace_belongs_to(devices: Devices) -> None:
    here = devices.of(ADA)
    devices.of(EVE)
    ada = here.sign_in.saved_session()
    assert ada is not None
    again, engine = (devices.fresh(files=here.files) for _ in range(2))
    for each in (again, engine):
        each.sign_in.restrict_to_user(ada.user_id, ADA)
    again.sign_in.forget()
    assert refusal(lambda: again.sign_in.with_password(EVE, PASSWORD)) == "project_of_another"
    assert signed_out(engine.shared_store.streams)
    devices.fresh(files=here.files).sign_in.with_password(EVE, PASSWORD)  # as a defect would leave it
    assert signed_out(engine.shared_store.streams)


def test_a_wrong_password_and_an_unknown_address_are_told_alike(devices: Devices) -> None:
    devices.of(ADA)
    sign_in = devices.fresh().sign_in
    assert refusal(lambda: sign_in.with_password(ADA, "wrong")) == "sign_in_wrong"
    assert refusal(lambda: sign_in.with_password("eve@example.test", PASSWORD)) == "sign_in_wrong"
    assert sign_in.saved_session() is None


def test_an_account_may_have_to_be_confirmed_by_mail_first(devices: Devices) -> None:
    devices.gateway.auth.autoconfirm = False
    devices.gateway.auth.codes_in_mails = True
    sign_in = devices.fresh().sign_in
    assert sign_in.sign_up(ADA, PASSWORD) is None
    assert refusal(lambda: sign_in.with_password(ADA, PASSWORD)) == "sign_in_unconfirmed"
    assert refusal(lambda: sign_in.answer_mail(ADA, "000000x")) == "sign_in_code_wrong"
    assert sign_in.answer_mail(ADA, devices.gateway.auth.mails[-1].code).email == ADA
    assert sign_in.with_password(ADA, PASSWORD).email == ADA


@pytest.mark.parametrize("autoconfirm", [True, False])
def test_an_account_that_is_there_is_not_made_again(devices: Devices, autoconfirm: bool) -> None:
    devices.of(ADA)
    devices.gateway.auth.autoconfirm = autoconfirm
    assert refusal(lambda: devices.fresh().sign_in.sign_up(ADA, "another password")) == "sign_in_known"


def test_a_code_by_mail_signs_in_once_where_the_project_mails_one(devices: Devices) -> None:
    devices.of(ADA)
    devices.gateway.auth.codes_in_mails = True
    sign_in = devices.fresh().sign_in
    sign_in.ask_mail(ADA)
    code = devices.gateway.auth.mails[-1].code
    assert sign_in.answer_mail(ADA, f" {code} ").email == ADA
    assert refusal(lambda: sign_in.answer_mail(ADA, code)) == "sign_in_code_wrong"


def latest_link(devices: Devices) -> str:
    mail = devices.gateway.auth.mails[-1]
    assert mail.code == "", "a project that nobody changed mails links only"
    return mail.link


def test_a_project_that_nobody_changed_mails_a_link_which_is_pasted_unopened(devices: Devices) -> None:
    devices.of(ADA)
    sign_in = devices.fresh().sign_in
    sign_in.ask_mail(ADA, back_to=BACK)
    link = latest_link(devices)
    assert devices.fresh().sign_in.answer_mail(ADA, f" {link} ").email == ADA, "unopened it serves on any device"
    assert refusal(lambda: sign_in.answer_mail(ADA, link)) == "sign_in_link_spent"


def test_a_mailed_link_that_is_opened_leads_back_with_a_code_for_the_device_that_asked_alone(devices: Devices) -> None:
    devices.of(ADA)
    sign_in, another, asked_too = (devices.fresh().sign_in for _ in range(3))
    asked_too.ask_mail(ADA, back_to=BACK)
    sign_in.ask_mail(ADA, back_to=BACK)
    address = opened(latest_link(devices))
    assert address.startswith(f"{BACK}?code=")
    assert refusal(lambda: another.answer_mail(ADA, address)) == "sign_in_link_elsewhere"
    assert refusal(lambda: asked_too.answer_mail(ADA, address)) == "sign_in_link_elsewhere"
    assert sign_in.answer_mail(ADA, address).email == ADA
    assert refusal(lambda: sign_in.answer_mail(ADA, address)) in ("sign_in_link_spent", "sign_in_link_elsewhere")


def test_the_link_that_confirms_an_account_signs_in_as_well(devices: Devices) -> None:
    devices.gateway.auth.autoconfirm = False
    sign_in = devices.fresh().sign_in
    assert sign_in.sign_up(ADA, PASSWORD, back_to=BACK) is None
    assert sign_in.answer_mail(ADA, opened(latest_link(devices))).email == ADA


@pytest.mark.parametrize("late", ["mail", "code"])
def test_a_link_that_is_too_old_is_told_as_that(devices: Devices, late: str) -> None:
    devices.of(ADA)
    auth, sign_in = devices.gateway.auth, devices.fresh().sign_in
    sign_in.ask_mail(ADA, back_to=BACK)
    auth.link_seconds = -1.0 if late == "mail" else auth.link_seconds
    auth.code_seconds = -1.0
    address = opened(latest_link(devices))
    assert ("error_code=otp_expired" in address) == (late == "mail")
    assert refusal(lambda: sign_in.answer_mail(ADA, address)) == "sign_in_link_spent"


def test_a_link_that_was_opened_before_it_was_pasted_is_told_as_used(devices: Devices) -> None:
    devices.of(ADA)
    sign_in = devices.fresh().sign_in
    sign_in.ask_mail(ADA, back_to=BACK)
    link = latest_link(devices)
    opened(link)  # a mail program that looks at links does that
    assert refusal(lambda: sign_in.answer_mail(ADA, link)) == "sign_in_link_spent"
    assert refusal(lambda: sign_in.answer_mail(ADA, opened(link))) == "sign_in_link_spent"


def test_a_link_of_another_project_goes_nowhere(devices: Devices) -> None:
    devices.of(ADA)
    sign_in = devices.fresh().sign_in
    sign_in.ask_mail(ADA, back_to=BACK)
    elsewhere = latest_link(devices).replace(devices.gateway.url, "https://evil.test")
    asked = devices.gateway.requests
    assert refusal(lambda: sign_in.answer_mail(ADA, elsewhere)) == "sign_in_link_of_another"
    assert (
        refusal(lambda: sign_in.answer_mail(ADA, "http://localhost:3000/#access_token=x")) == "sign_in_link_elsewhere"
    )
    assert devices.gateway.requests == asked


def test_the_third_mail_within_an_hour_is_told_to_wait(devices: Devices) -> None:
    devices.of(ADA)
    sign_in = devices.fresh().sign_in
    for _ in range(2):
        sign_in.ask_mail(ADA, back_to=BACK)
    assert refusal(lambda: sign_in.ask_mail(ADA, back_to=BACK)) == "sign_in_paused"


def test_a_mail_makes_an_account_only_when_that_is_meant(devices: Devices) -> None:
    sign_in = devices.fresh().sign_in
    assert refusal(lambda: sign_in.ask_mail(ADA)) == "sign_in_unknown"
    sign_in.ask_mail(ADA, fresh=True)
    assert sign_in.answer_mail(ADA, latest_link(devices)).email == ADA


def test_what_a_project_does_not_allow_is_told_in_words(devices: Devices) -> None:
    auth, sign_in = devices.gateway.auth, devices.fresh().sign_in
    assert refusal(lambda: sign_in.sign_up(ADA, "short")) == "sign_in_password_weak"
    assert refusal(lambda: sign_in.sign_up("nobody", PASSWORD)) == "sign_in_email_refused"
    sign_in.sign_up(ADA, PASSWORD)
    auth.mails_an_hour = 0
    assert refusal(lambda: sign_in.ask_mail(ADA)) == "sign_in_paused"
    auth.sign_ups = False
    assert refusal(lambda: sign_in.sign_up("eve@example.test", PASSWORD)) == "sign_in_closed"
    auth.users[ADA].banned = True
    assert refusal(lambda: sign_in.with_password(ADA, PASSWORD)) == "sign_in_banned"
    auth.by_email = False
    assert refusal(lambda: sign_in.with_password(ADA, PASSWORD)) == "sign_in_mail_off"


def test_another_project_s_key_is_refused_in_words(devices: Devices) -> None:
    project = Address(devices.gateway.url, "sb_publishable_of_another", nobody_else())
    assert refusal(lambda: AuthSession(project, OpenFiles()).with_password(ADA, PASSWORD)) == "project_key_refused"
    project.close()


def test_the_newer_kind_of_public_key_works_as_well(devices: Devices) -> None:
    project = Address(devices.gateway.url, devices.gateway.tokens.publishable_key, nobody_else())
    assert AuthSession(project, OpenFiles()).sign_up(ADA, PASSWORD) is not None
    project.close()


def test_a_project_that_does_not_answer_is_told_in_words(devices: Devices) -> None:
    here = devices.fresh()
    devices.gateway.close()
    assert refusal(lambda: here.sign_in.with_password(ADA, PASSWORD)) == "project_unreachable"


def test_a_session_is_shown_to_no_other_project(devices: Devices, project: Project) -> None:
    here = devices.of(ADA)
    with hosted(project.url("authenticator")) as others:
        there = others.fresh(files=here.files)
        assert there.sign_in.saved_session() is None
        assert signed_out(there.shared_store.streams)


# --- staying signed in ---


def test_an_expired_token_is_renewed_once_and_the_call_repeated(devices: Devices) -> None:
    here = devices.of(ADA)
    before = here.files.kept[FILE]
    devices.gateway.tokens.expire()
    assert here.shared_store.streams() == []
    assert devices.gateway.auth.refreshes == 1
    assert here.files.kept[FILE] != before, "what was renewed is on disk"


def test_a_hundred_expiries_in_mid_push_lose_nothing_and_one_renewal_is_in_flight(devices: Devices) -> None:
    here, expiries, workers = devices.of(ADA), 100, 4
    streams = [Stream(f"camp-{n}").created() for n in range(workers)]
    for stream in streams:
        here.shared_store.append(stream.batch(), None)
    pushed = threading.Barrier(workers + 1)
    failures: list[Exception] = []

    def push(stream: Stream) -> None:
        try:
            for _ in range(expiries):
                pushed.wait()
                at = len(stream.events)
                stream.event("CampaignEdited", stream.campaign_id, {"goal": f"goal {at}"})
                here.shared_store.append(stream.batch(at), None)
                pushed.wait()
        except Exception as error:  # noqa: BLE001 - shown by the main thread
            failures.append(error)
            pushed.abort()

    threads = [threading.Thread(target=push, args=(stream,)) for stream in streams]
    for thread in threads:
        thread.start()
    for _ in range(expiries):
        devices.gateway.tokens.expire()
        pushed.wait()
        pushed.wait()
    for thread in threads:
        thread.join()
    assert failures == []
    for stream in streams:
        assert list(here.shared_store.pull_events(stream.campaign_id, 0, 1_000)) == stream.events
    auth = devices.gateway.auth
    assert (auth.refreshes, auth.most_at_once) == (expiries, 1)


def test_another_process_of_this_device_may_have_renewed_it_already(devices: Devices) -> None:
    here = devices.of(ADA)
    other = devices.fresh(files=here.files)
    devices.gateway.tokens.expire()
    other.shared_store.streams()
    here.shared_store.streams()
    assert devices.gateway.auth.refreshes == 1
    assert here.sign_in.token() == other.sign_in.token()


def test_a_renewal_whose_answer_was_lost_is_asked_for_again(devices: Devices) -> None:
    here = devices.of(ADA)
    stored = here.files.kept[FILE]
    devices.gateway.tokens.expire()
    here.shared_store.streams()
    again = devices.fresh(files=OpenFiles())
    again.files.kept[FILE] = stored  # killed before the renewed session was written
    devices.gateway.tokens.expire()
    assert again.shared_store.streams() == []


def test_a_session_that_was_ended_elsewhere_is_signed_out_and_kept_no_more(devices: Devices) -> None:
    here, lost = devices.of(ADA), devices.of(ADA)
    here.sign_in.sign_out_others()
    assert here.shared_store.streams() == []
    devices.gateway.tokens.expire()
    assert here.shared_store.streams() == []
    assert signed_out(lost.shared_store.streams)
    assert lost.files.kept == {}
    assert signed_out(lost.shared_store.streams)


def test_a_stolen_refresh_token_ends_the_session_for_both(devices: Devices) -> None:
    here = devices.of(ADA)
    thief = devices.fresh(files=OpenFiles())
    thief.files.kept = dict(here.files.kept)
    devices.gateway.auth.reuse_seconds = -1
    for _ in range(2):
        devices.gateway.tokens.expire()
        here.shared_store.streams()
    assert signed_out(thief.shared_store.streams)
    devices.gateway.tokens.expire()
    assert signed_out(here.shared_store.streams)


def test_others_are_signed_out_with_a_token_that_expired_meanwhile(devices: Devices) -> None:
    here, other = devices.of(ADA), devices.of(ADA)
    devices.gateway.tokens.expire()
    here.sign_in.sign_out_others()
    assert signed_out(other.shared_store.streams)


def test_signing_out_ends_the_session_there_and_forgets_it_here(devices: Devices) -> None:
    here = devices.of(ADA)
    stored = here.files.kept[FILE]
    here.sign_in.sign_out()
    assert here.files.kept == {}
    assert signed_out(here.shared_store.streams)
    here.files.kept[FILE] = stored
    devices.gateway.tokens.expire()
    assert signed_out(devices.fresh(files=here.files).shared_store.streams), (
        "its refresh token is worth nothing any more"
    )


def test_without_a_connection_signing_out_forgets_the_session_all_the_same(devices: Devices) -> None:
    here = devices.of(ADA)
    devices.gateway.close()
    here.sign_in.sign_out()
    assert here.files.kept == {}
    with pytest.raises(SharedStoreRefusedError):
        here.shared_store.streams()


def test_while_the_keychain_is_locked_the_sign_in_is_and_the_project_is_not_out_of_reach(devices: Devices) -> None:
    here = devices.of(ADA)
    here.files.locked = True
    with pytest.raises(SharedStoreUnreachableError) as locked:
        devices.fresh(files=here.files).shared_store.streams()
    assert locked.value.code == "sign_in_locked"
    assert "out of reach" not in locked.value.as_error().sentence
    here.files.locked = False
    here.files.kept[FILE] = b"not what was written"
    assert signed_out(devices.fresh(files=here.files).shared_store.streams)


def test_a_token_of_this_minute_that_is_not_accepted_is_no_reason_to_sign_in_again(devices: Devices) -> None:
    here = devices.of(ADA)
    devices.gateway.tokens.lifetime = -10
    devices.gateway.tokens.expire()
    with pytest.raises(SharedStoreUnreachableError):
        here.shared_store.streams()
    assert here.sign_in.saved_session() is not None
    assert devices.gateway.auth.refreshes == 1


def test_a_renewal_that_is_refused_for_now_signs_nobody_out(devices: Devices, monkeypatch: pytest.MonkeyPatch) -> None:
    here = devices.of(ADA)

    def busy(token: str) -> Answer:
        raise RefusalError(409, "conflict", "Too many concurrent token refresh requests")

    devices.gateway.tokens.expire()
    with monkeypatch.context() as patched:
        patched.setattr(devices.gateway.auth, "_renew", busy)
        with pytest.raises(SharedStoreUnreachableError):
            here.shared_store.streams()
    assert here.shared_store.streams() == []


def test_a_renewal_that_gives_somebody_else_s_session_is_not_believed(
    devices: Devices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits here would reach another account."""
    here, eve = devices.of(ADA), devices.of(EVE)
    ada, other = here.sign_in.saved_session(), eve.sign_in.saved_session()
    assert ada is not None
    assert other is not None
    here.sign_in.restrict_to_user(ada.user_id, ADA)
    renew = devices.gateway.auth._renew
    devices.gateway.tokens.expire()
    with monkeypatch.context() as patched:
        patched.setattr(devices.gateway.auth, "_renew", lambda _: renew(other.refresh_token))
        with pytest.raises(SharedStoreUnreachableError, match="somebody else"):
            here.shared_store.append(Stream().settings(1).batch(), None)
    assert here.sign_in.saved_session() == ada, "nothing of it is kept"
    assert here.shared_store.streams() == []


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("of", ["/rpc/", "/token"])
def test_an_answer_that_is_too_deep_to_be_read_is_none(
    devices: Devices, monkeypatch: pytest.MonkeyPatch, of: str, status: int
) -> None:
    here, answer = devices.of(ADA), devices.gateway.answer

    def deep(method: str, target: str, headers: dict[str, str], body: bytes) -> Answer:
        return Answer(status, DEEP, (), "") if of in target else answer(method, target, headers, body)

    devices.gateway.tokens.expire()
    with monkeypatch.context() as patched:
        patched.setattr(devices.gateway, "answer", deep)
        with pytest.raises(SharedStoreUnreachableError):
            here.shared_store.streams()
    assert here.shared_store.streams() == []


def test_a_public_key_that_was_replaced_is_told_as_that_and_forgets_nothing(devices: Devices) -> None:
    here = devices.of(ADA)
    devices.gateway.tokens.anon_key = "replaced"
    with pytest.raises(SharedStoreRefusedError) as refused:
        here.shared_store.streams()
    assert refused.value.code == "key_refused"
    assert here.sign_in.saved_session() is not None


# --- what leaves ---


def test_every_call_is_announced_by_its_purpose_with_its_size(devices: Devices) -> None:
    here = devices.of(ADA)
    here.shared_store.append(Stream().settings(20).batch(), None)
    assert {(host, purpose) for host, purpose, _ in here.door.calls} == {
        ("127.0.0.1", "supabase-auth"),
        ("127.0.0.1", "supabase-sync"),
    }
    assert len(here.door.calls) == devices.gateway.requests
    sent = here.door.calls[-1][2]
    assert sent.bytes_out > 1_000
    assert sent.bytes_in > 10


def test_a_project_that_is_not_on_the_list_is_not_called(devices: Devices) -> None:
    here = devices.of(ADA)
    asked = devices.gateway.requests
    here.project.forbid()
    with pytest.raises(SharedStoreUnreachableError):
        here.shared_store.pull_events(WORKSPACE, 0, 1)
    assert devices.gateway.requests == asked


def test_no_secret_is_in_any_word_that_is_said(devices: Devices, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    here = devices.of(ADA)
    session = here.sign_in.saved_session()
    assert session is not None
    devices.gateway.tokens.expire()
    here.shared_store.streams()
    renewed = here.sign_in.saved_session()
    assert renewed is not None
    texts = [caplog.text, repr(session), str(session), repr(here.sign_in), repr(here.project)]
    secrets = (PASSWORD, session.access_token, session.refresh_token, renewed.access_token, renewed.refresh_token)
    assert [secret for secret in secrets if any(secret in text for text in texts)] == []
    assert isinstance(here.door, OpenDoor)
