"""Every error that reaches a person, one row for each code: HTTP status, what happened, and what to do about it.

A new error is a row here; a code without one does not type-check. Sentence and remedy are `str.format` templates over the
facts that the error is raised with (design: contracts, "Errors for people").
"""

from functools import partial
from typing import NamedTuple, TypeAlias


class ErrorText(NamedTuple):
    """A row. `status` is the HTTP status: 5xx is a fault in Outrider, and its remedy asks to report it.

    Any 4xx but `_failed`: the caller or the user has to change something first.
    """

    status: int
    sentence: str
    remedy: str


_unknown = partial(ErrorText, 404)
_conflict = partial(ErrorText, 409)
_invalid = partial(ErrorText, 422)
_failed = partial(ErrorText, 424)
"""What Outrider depends on failed: a model's server, a site, the shared store, this computer's disk, keychain or browser."""

ErrorCode: TypeAlias = str
"""A code of the table. mypy knows which there are from the rows themselves (`tests/repository/error_code_types.py`)."""


def _agent_ended(why: str) -> ErrorText:
    remedy = "Nothing was changed. This is a mistake in the agent: please report it with this sentence."
    return _failed(f"The agent {{agent}} was ended: {why}", remedy)


ERRORS: dict[ErrorCode, ErrorText] = {
    # turn and campaign machines
    "illegal_transition": ErrorText(
        500,
        "A step failed inside Outrider: {event} is not possible in {state}.",
        "This is a defect in Outrider; the campaign has stopped and nothing was done. Please report it.",
    ),
    "illegal_status": _conflict(
        "A {noun} cannot go from {state} to {target}.", "Reload and look at its current status; nothing was changed."
    ),
    "turn_in_flight": _conflict(
        "This campaign is already carrying out a step.", "Wait for it to finish, or stop the campaign."
    ),
    "fault_none": _conflict("The campaign has no fault to reset.", "Today and `outrider runtime` say where it stands."),
    "wake_time": _invalid("A timer must be within the next {days} days.", "Choose a later time of day."),
    "wake_unknown": _unknown("This timer is no longer set.", "Run and `outrider runtime` list those that are set."),
    "wakes_many": ErrorText(429, "There are already {limit} wake requests.", "Cancel one of them first."),
    "campaign_unknown": _unknown(
        "No campaign matches “{campaign}”.",
        "Choose one from the list of campaigns, in the window or by `outrider status`.",
    ),
    "turn_unknown": _unknown("Nothing is on record under the number {turn}.", "Choose one from the list."),
    "task_not_blocked": _conflict(
        "The task is {status}, so there is nothing to decide about it.", "Reload the list of tasks."
    ),
    "send_unsettled": _conflict(
        "It is not yet known whether this task's message was sent.", "Check the site and answer that question first."
    ),
    "task_unknown": _unknown(
        "There is no such task.", "Choose one from the list of tasks, in the window or by `outrider status`."
    ),
    "campaign_empty": _conflict(
        "The campaign has no leads.", "Import a lead file in Leads, or with `outrider import {campaign} FILE`."
    ),
    "campaign_not_active": _conflict(
        "The campaign {status}, so it cannot run.", "Today and `outrider status {campaign}` say where it stands."
    ),
    "campaign_archived": _conflict("“{campaign}” is archived, so it cannot run or change.", "Bring it back first."),
    "campaign_active": _conflict("“{campaign}” is running.", "Stop it before you delete it."),
    "campaign_acts": _conflict(
        "A send in “{campaign}” is under way, or its delivery is not confirmed.",
        "Run the campaign again, or answer its question, to settle the outcome.",
    ),
    "invariant_broken": ErrorText(
        500,
        "An invariant does not hold: {what}.",
        "The campaign has stopped. Run `outrider replay --check` and `outrider log verify`, report what they say, and recover it"
        " with a reason.",
    ),
    "sequence_invalid": _invalid("The sequence cannot be used: {why}.", "Change that step; what you wrote is kept."),
    "sequence_unchanged": _conflict("The sequence has not been changed yet.", "There is nothing to undo."),
    "blueprint_weights": _invalid(
        "The weights add up to {sum}, not 100.", "Change them to add up to 100. Nothing was saved."
    ),
    "blueprint_too_large": _invalid(
        "The blueprint has {size} characters; the limit is {limit}.", "Remove some words or criteria."
    ),
    "blueprint_field_unknown": _invalid(
        "No lead of this campaign has the field “{field}”.", "Choose one of these: {known}."
    ),
    "blueprint_unchanged": _conflict("This blueprint is already in force.", "Score with it again, or change it."),
    "blueprint_changed": _conflict(
        "The blueprint was changed in the meantime.", "Check the current one, then save yours again."
    ),
    "ranking_unknown": _unknown("There is no such round.", "Open “Rank these 10” again."),
    "ranking_outdated": _conflict(
        "Another round was saved in the meantime.", "Put the next ten people in order instead."
    ),
    "ranking_invalid": _invalid(
        "These are not three to ten different people of this campaign.", "Open “Rank these 10” again."
    ),
    "limits_allow_nothing": _invalid(
        "The limits allow neither invitations nor messages.", "Allow at least one a day in the campaign's Setup."
    ),
    "hours_empty": _invalid(
        "These working hours leave no time to send: {why}.", "Choose at least one day, and an end after the beginning."
    ),
    "settings_changed": _conflict(
        "The campaign's settings were changed in the meantime.", "Check the current ones, then save yours again."
    ),
    "topic_not_clean": _invalid(
        "What the campaign is about has a hidden character that must not be sent ({point}).", "Type that place anew."
    ),
    "channel_unknown": _invalid("There is no channel “{channel}”.", "Choose one of these: {channels}."),
    "not_sent_by_hand": _conflict(
        "Outrider sends the messages of “{campaign}” itself.",
        "Follow it on Today. Send is for campaigns that you send by hand.",
    ),
    "person_not_waiting": _conflict("This person is no longer waiting for you.", "Continue with the next person."),
    "already_handed_over": _conflict(
        "You have this message already, from another window or device.", "Say first what became of it."
    ),
    "send_held": _conflict("No message was shown: {why}.", "Continue with the next person, or come back later."),
    "send_asks_first": _conflict(
        "Nothing was handed over yet: {why}.", "Send it anyway if you want to; that is recorded."
    ),
    "nothing_to_take_back": _conflict(
        "There is no answer to undo.",
        "An answer becomes final with the next one, a reply immediately. Add a note to the lead instead.",
    ),
    "nothing_pending": _conflict(
        "{lead} is connected already.", "There is no invitation to withdraw; their sequence goes on."
    ),
    "reply_too_long": _invalid("The reply has {length:,} characters.", "Paste at most {limit:,}."),
    "reply_is_yours": _invalid("That is your own message to {name}, not their reply.", "Paste what they wrote."),
    "channel_needs_consent": _invalid(
        "“{channel}” needs your written consent first: LinkedIn's terms forbid automated access.",
        "Give it under Settings, LinkedIn Drive, or with `outrider consent give`. Or choose LinkedIn Assist, where"
        " you send the messages yourself.",
    ),
    "consent_not_typed": _invalid("That is not the exact sentence, so no consent was given.", "Type: {sentence}"),
    "profile_in_use": _conflict("The browser profile is in use by a running campaign.", "Stop the campaign first."),
    "profile_kept": _conflict(
        "The browser profile could not be removed: {detail}.", "Close the browser that is using it and try again."
    ),
    "person_unclear": _invalid(
        "“{given}” does not identify a person.",
        "Enter a profile address, such as linkedin.com/in/name, or an e-mail address.",
    ),
    "company_unclear": _invalid("“{given}” is not a company name.", "Enter the name as it appears in your lead files."),
    "domain_unclear": _invalid("“{given}” is not a domain.", "Enter the domain of their addresses, such as acme.com."),
    "company_listed": _conflict(
        "The do-not-contact list has {entry}, which covers everyone there.",
        "Remove that entry from the list in Settings first.",
    ),
    "person_not_listed": _conflict("This person is no longer on the list.", "Nothing was changed."),
    # approvals and messages
    "approval_unknown": _conflict(
        "This draft does not wait for approval any more.", "It may already be decided; look at those that wait now."
    ),
    "approval_used": _conflict(
        "The message to {name} has left, or is just leaving.", "It can no longer be taken back; nothing was changed."
    ),
    "approval_text_changed": _conflict(
        "The message or its recipient has changed since it was shown.", "Read the current draft and approve that one."
    ),
    "text_hides": _conflict(
        "The message contains hidden characters: {points}.",
        "Open it on its own, where each one is shown, and approve, edit or reject it there.",
    ),
    "text_doubtful": _conflict(
        "This may be a placeholder: {placeholders}.",
        "Open the message on its own, and approve, edit or reject it there.",
    ),
    "auto_approve_forbidden": ErrorText(
        403, "Automatic approval works only on the practice network.", "Approve each message yourself on a real site."
    ),
    "rejection_final": _conflict(
        "The rejection can no longer be undone: {why}.", "The message stays in the log; edit the next draft instead."
    ),
    "text_too_long": _invalid(
        "The message has {length} characters; {kind} allows {limit}.", "Shorten it and try again. The draft is kept."
    ),
    "text_not_sendable": _invalid("The message cannot be sent as it is: {why}", "Change it and save again."),
    "answer_not_offered": _invalid("{answer!r} is not one of the answers.", "Choose one of: {choices}."),
    "question_unknown": _conflict("There is no open question {question}.", "Reload; it may have been answered."),
    # artifacts
    "script_empty": _invalid("There is no script.", "Write or choose one."),
    "script_too_large": ErrorText(
        413, "The script has {bytes} bytes; the limit is {limit}.", "Shorten it; load data with query()."
    ),
    "script_not_text": _invalid(
        "The script is not UTF-8 text (at byte or character {at}).", "Save it as UTF-8 and try again."
    ),
    "script_line_too_long": _invalid(
        "Line {line} of the script has more than {limit} characters.", "Break the line so that all of it can be read."
    ),
    "script_hides": _invalid(
        "Line {line} of the script contains a hidden character ({point}).",
        "Remove it. You can only approve what you can read.",
    ),
    "script_not_approved": _conflict(
        "The script was not approved, so it did not run.", "Read it, and approve exactly this script."
    ),
    "script_file_unreadable": _invalid("{path} cannot be read: {detail}.", "Choose a file that you may read."),
    "script_runtime_missing": _failed(
        "Scripts cannot run here: the sandbox's interpreter is missing ({detail}).",
        "Run `make setup` again, or install Outrider again; `outrider doctor` says more.",
    ),
    "script_result_unreadable": _invalid(
        "This is not a script's result, or not the one that was saved.", "Choose a result that a run has saved."
    ),
    "script_result_erased": _conflict(
        "This result named somebody whose data was erased, so it is no longer the one that was saved.",
        "Run the script again on today's data.",
    ),
    "script_data_changed": _conflict(
        "The log no longer has entry {position}, so the data of that moment cannot be restored.",
        "Run the script again on today's data.",
    ),
    "script_denied": _invalid("The script may not run: {message}", "Change the script accordingly."),
    "script_unknown": _unknown("No script with SHA-256 {sha256} is stored.", "Check the list of artifacts."),
    "script_changed": _conflict("The script has changed since it was reviewed.", "Review and approve it again."),
    "script_running": _conflict("A script is already running.", "Wait until it has ended, or cancel it."),
    "script_no_result": _conflict(
        "There is no result of this run to save.", "Run the script again; results are kept until the next run."
    ),
    "script_interrupted": _conflict(
        "Outrider closed before the script had run.", "Ask again, and approve the script again."
    ),
    "script_builtin_unknown": _invalid("No built-in script is called {key!r}.", "Choose one of: {keys}."),
    "artifact_unknown": _unknown(
        "This campaign has no version {version} of {type} “{key}”.", "Choose it from the list of artifacts."
    ),
    "artifact_type_unknown": _invalid("{type!r} is not a type of artifact.", "Choose one of: {types}."),
    "artifact_protected": _invalid(
        "A {type} is created only by {how}.", "Do that, and it follows; keep your own words as a note or as research."
    ),
    "artifact_key_invalid": _invalid(
        "“{key}” cannot be a key.",
        "Use up to 64 characters of a-z, 0-9, dot, dash and underscore, starting with a letter or digit.",
    ),
    "artifact_empty": _invalid("There is no content.", "Type, paste or choose some content."),
    "artifact_too_large": _invalid(
        "The content has {bytes} bytes; the limit is {limit}.", "Keep the part that matters, or split it."
    ),
    "artifact_damaged": ErrorText(
        410,
        "The file of this artifact, {sha256}, {what}.",
        "If a project is attached and has the file, it is being fetched: try again in a moment. Otherwise put it back from a"
        " backup of the data folder.",
    ),
    "artifact_not_text": _invalid(
        "The content is not UTF-8 text (at position {at}).", "Save it as UTF-8 text and choose it again."
    ),
    "field_unknown": _unknown("Leads cannot be grouped by {field!r}.", "Choose one of the listed fields."),
    "artifact_version_taken": _conflict(
        "In the meantime {type} “{key}” has reached version {latest}.", "Check that version, then save yours."
    ),
    # configuration, soul and skills
    "config_protected": ErrorText(403, "{key} cannot be changed like other settings.", "Change {where}."),
    "soul_empty": _invalid(
        "The voice is empty.", "Describe how the agent should sound, or go back to an earlier version."
    ),
    "soul_too_long": _invalid("The voice has {length} characters; the limit is {limit}.", "Keep what matters most."),
    "soul_hidden_character": _invalid("The voice contains a hidden character ({point}).", "Delete it."),
    "soul_secret": _invalid(
        "This looks like {what}.", "Remove it: the voice is sent to the model. Store keys in Settings, Keys."
    ),
    "soul_claims_rights": _invalid(
        "“{quote}”: {why}", "Describe how to write. What may be done is decided by you and by the limits."
    ),
    "soul_changed": _conflict(
        "The voice was changed in the meantime and is now at version {version}.",
        "Compare it with yours, then save again. Your version is kept.",
    ),
    "soul_version_unknown": _unknown("There is no version {version} of the voice.", "Choose one from the history."),
    "skill_unknown": _unknown("There is no such skill.", "Reload the list; it may have been removed."),
    "skill_without_document": _invalid("{file} has no SKILL.md.", "Choose a skill's own folder, or a zip of it."),
    "skill_not_text": _invalid("SKILL.md is not UTF-8 text (at byte {at}).", "Save it as UTF-8 text."),
    "skill_front_matter": _invalid(
        "The front matter of SKILL.md cannot be used: {why}.",
        "It must give name, description, applies-to and version between two lines of three dashes.",
    ),
    "skill_claims_rights": _invalid(
        "The front matter asks for “{key}”.", "A skill adds words, never tools or rights; remove that key."
    ),
    "skill_empty": _invalid("The skill has no instructions.", "Write them below the front matter."),
    "skill_too_long": _invalid(
        "The instructions have {length} characters; the limit is {limit}.", "Shorten or split them."
    ),
    "skill_hidden_character": _invalid(
        "Line {line} of SKILL.md contains a hidden character ({point}).", "Delete it, or do not use this skill."
    ),
    "skill_secret": _invalid(
        "Line {line} of SKILL.md seems to contain {what}.", "Remove it: instructions are sent to the model."
    ),
    "skill_name_taken": _invalid("A skill called {name} already exists.", "Give this one another name."),
    "skill_store_full": _invalid("{limit} skills are already installed.", "Remove one that you do not use."),
    "skill_changed": _conflict(
        "{name} has changed since it was shown.", "Read the current version and approve that one."
    ),
    "skill_unreviewed": _invalid("{name} has not been reviewed yet.", "Read it and approve it first."),
    "skill_builtin": _invalid("{name} comes with Outrider and stays in the list.", "Switch it off instead."),
    "skill_crowded": _invalid(
        "The prompt for {occasion} has no room for another skill, so {name} cannot be added.",
        "Switch one of them off first.",
    ),
    "skill_source_unknown": _invalid(
        "{file} is not a folder, a zip or a SKILL.md.", "Choose a skill's folder, or a zip of it."
    ),
    "skill_source_unreadable": _invalid("{file} cannot be read: {detail}.", "Check it and choose it again."),
    "skill_source_damaged": _invalid("{file} is a zip that cannot be unpacked.", "Create or download it again."),
    "skill_source_several": _invalid("{file} contains more than one SKILL.md.", "Choose a zip with one skill in it."),
    "skill_source_link": _invalid("{file} contains a link: {member}.", "Replace the link with the file itself."),
    "skill_source_unsafe_path": _invalid(
        "{file} contains a file with a dangerous path: {member}.", "Do not unpack it, and do not trust its source."
    ),
    "skill_source_bomb": _invalid(
        "{file} unpacks to {ratio} times its size, which no skill does.", "Do not unpack it."
    ),
    "skill_source_too_large": _invalid(
        "{file} exceeds the limit for a skill: {files} files, {kilobytes} kB.",
        "Keep only SKILL.md and what belongs to it.",
    ),
    # proposer
    "proposer_unavailable": _failed("The model gave no answer: {why}.", "Check the model's settings, then continue."),
    "proposer_unauthorised": _failed("{host} refused the key.", "Enter it again in Settings, Models."),
    "proposer_forbidden": _failed(
        "{host} does not allow this: {detail}.",
        "Ask the provider whether your account, key and region may use this model, or choose another one.",
    ),
    "proposer_unpaid": _failed(
        "{host} asks for payment: the account has no credit left.",
        "Add credit at the provider, or choose another model.",
    ),
    "proposer_rate_limited": _failed("{host} allows no more requests for now{wait}.", "Wait a little, then continue."),
    "proposer_unreachable": _failed(
        "{host} cannot be reached.", "Check that it is running and that its address is right, then continue."
    ),
    "proposer_failed": _failed("{host} failed: {detail}.", "Continue later, or choose another model."),
    "proposer_prompt_too_long": _failed(
        "The model at {host} reads less at once than this task needs: {detail}.",
        "Choose a model that reads more, or let its server give it a longer context (Ollama: OLLAMA_CONTEXT_LENGTH; LM Studio:"
        " Context Length; llama.cpp: ctx-size; vLLM: max-model-len).",
    ),
    "proposer_request_refused": _failed(
        "{host} did not accept the request (HTTP {status}): {detail}.",
        "Check the address, the model's name and its reply format in Settings, Models.",
    ),
    "proposer_timeout": _failed(
        "{host} took longer than {seconds} s {what}.",
        "Allow it more time in Settings, Models, or choose a faster model.",
    ),
    "proposer_refused": _failed("The model declined to answer.", "Change the goal or choose another model."),
    "proposer_empty": _failed("The model's reply was empty.", "Continue, or choose another model."),
    "proposer_no_content": _failed(
        "{host} answered with nothing at all ({http}).",
        "Check the address and the provider in Settings, Models, and look into the log of that server.",
    ),
    "proposer_cut_off": _failed("The reply was cut off: {why}.", "Try again; what arrived is kept in the log."),
    "proposer_garbled": _failed(
        "{host} does not follow its provider's protocol.", "Check the address and the provider in Settings, Models."
    ),
    "proposer_web_page": _failed(
        "A web page answers in place of {host}.",
        "Check the address in Settings, Models. If it is right, sign in to your network in a browser, or have its proxy allow"
        " {host}.",
    ),
    "proposer_certificate": _failed(
        "The certificate of {host} cannot be trusted: {why}.",
        "Check this machine's date and the address. If a company proxy or a virus scanner reads connections here, set"
        " SSL_CERT_FILE to a file with its certificate, and start Outrider again. Otherwise somebody may pose as {host}.",
    ),
    "proposer_stopped": _conflict("You stopped while the model was answering.", "Continue whenever you like."),
    "model_list_missing": _unknown(
        "{host} does not say which models it offers.", "Enter the model's name as its provider spells it."
    ),
    "model_list_empty": _unknown(
        "{host} lists no model.", "Add a model to that server, or enter the name of one that you know it has."
    ),
    "proposer_key_missing": _conflict(
        "There is no key “{key}” for this model.",
        "Enter it in Settings, Models, or set {variable} before you start Outrider.",
    ),
    "proposer_not_installed": _failed(
        "The library for {provider} is not part of this installation.", "Install outrider[{extra}] and start again."
    ),
    # connections to models, and their keys
    "model_unknown": _unknown(
        "There is no connection “{connection}” to a model.",
        "Choose one that `outrider model CAMPAIGN` or the campaign's Setup lists.",
    ),
    "model_in_use": _conflict(
        "The connection is used by {campaigns}.", "Choose another model there first. Nothing was removed."
    ),
    "model_address_refused": _invalid(
        "The address cannot be used: {why}.", "Use https://, or a server on this machine."
    ),
    "model_budget_spent": _conflict(
        "The campaign's model budget does not allow another request: {spent} of {budget} is spent.",
        "Raise the budget in the campaign's Setup, or choose the built-in script there.",
    ),
    # what connections go by
    "proxy_unusable": _failed(
        "The proxy in {variable} cannot be used: {why}.",
        "Put the address of an HTTP proxy there (http://host:port), or remove it, then start Outrider again.",
    ),
    "proxy_failed": _failed(
        "The proxy in {variable} does not let {host} through: {why}.",
        "Check its address, user and password, or ask whoever runs it. With NO_PROXY it is not used for a host.",
    ),
    "certificates_unusable": _failed(
        "The certificates that {variable} names cannot be used: {why}.",
        "Correct {variable}, or remove it to use the usual certificates, then start Outrider again.",
    ),
    "host_not_allowed": ErrorText(
        403,
        "{host} was not called, because it is not on the list of allowed hosts.",
        "Allowed hosts follow from your models and your project in Settings. See the list under “What leaves this"
        " machine”.",
    ),
    "key_not_for_host": _conflict(
        "The key “{key}” was not sent to {host}: none of your devices has allowed it for that host.",
        "Check the connection in Settings, Models, and save it here if it is yours.",
    ),
    "key_malformed": _invalid(
        "The key “{key}” cannot be sent: it holds {character}, which no key has.",
        "Copy it again where it was made, and enter it in Settings, Keys.",
    ),
    "key_read_only": _conflict("The key is set by {where}.", "Change it there and start again."),
    "keychain_missing": _failed(
        "This machine has no keychain that Outrider trusts.",
        "Start a keyring, or set the key in the environment as OUTRIDER_KEY_ followed by its name.",
    ),
    "keychain_locked": _failed("The keychain is locked.", "Unlock it and try again."),
    "keychain_failed": _failed("The keychain failed ({kind}).", "Try again. Nothing was changed."),
    # the vault, and files sealed on this device
    "vault_locked": _conflict("{why}.", "Open the vault in Settings, Keys."),
    "passphrase_wrong": _invalid("The passphrase is wrong.", "Enter it again. Nothing was changed."),
    "passphrase_short": _invalid(
        "The passphrase is too short.", "Use at least {least} characters. Four words that you will remember work well."
    ),
    "recovery_code_wrong": _invalid(
        "The recovery code is wrong.", "Copy it from the latest recovery kit. Codes of earlier kits no longer work."
    ),
    "vault_parameters_refused": _invalid(
        "The shared store's vault was not opened: {why}.",
        "Somebody may have tampered with it. Create a new recovery kit on a device that can open it.",
    ),
    "vault_open": _conflict(
        "The vault is open, so nothing has to be given up.", "Enter new keys, or forget old ones, in Settings, Keys."
    ),
    "vault_without_kit": _conflict(
        "There is no recovery kit.", "Create one in Settings, Keys, on the device that has the keys."
    ),
    "vault_changed": _conflict("The vault was changed in the meantime.", "Check the keys, then try again."),
    "key_unreadable": _conflict(
        "The key “{key}” cannot be opened with this vault.", "Enter it again in Settings, Keys."
    ),
    "device_unknown": _unknown(
        "There is no such device, or it has already been revoked.", "Reload the list of devices."
    ),
    "device_here": _conflict("That is this device.", "Revoke it from another one, or detach the project here."),
    "sealed_file_damaged": _failed(
        "The encrypted file {file} cannot be opened: it was changed, or belongs to another machine.",
        "Sign in again, or open the vault with passphrase and recovery code in Settings, Keys.",
    ),
    "sealed_file_failed": _failed(
        "The encrypted file {file} could not be written: {detail}.",
        "Free some space or repair the data folder, and try again.",
    ),
    "prompt_too_long": _invalid(
        "The prompt needs about {needed} tokens; the limit is {limit}.",
        "Shorten the voice or the skills, or choose a model with a larger context.",
    ),
    # store
    "database_locked": _failed(
        "The database {path} is locked by another program.", "Close the other program and start again."
    ),
    "database_read_only": _failed(
        "The database {path} is read-only.", "Give your user write permission on the data folder, or choose another."
    ),
    "database_full": _failed("The disk that holds {path} is full.", "Free some space and continue; nothing was lost."),
    "disk_full": _failed(
        "There is no room left for {path}: {detail}.",
        "Free some space, or raise the quota, and try again. What was recorded before is kept.",
    ),
    "disk_refused": _failed(
        "Outrider may not read or write {path}: {detail}.",
        "Make it readable and writable for you (on a Mac also by the system settings for files and folders), or choose"
        " another place for it.",
    ),
    "disk_failed": _failed(
        "The disk failed with {path}: {detail}.",
        "Check the disk and its connection, then try again. What was recorded before is kept.",
    ),
    "path_unusable": _failed(
        "{path} cannot be used: {detail}.", "Move what is in the way, or choose another place for it."
    ),
    "machine_exhausted": _failed(
        "This computer has nothing left to go on with: {detail}.",
        "Close other programs and try again. What was recorded before is kept.",
    ),
    "database_corrupt": _failed(
        "The database {path} is damaged: {detail}.",
        "Put a backup back with `outrider restore FILE`: the damaged database is kept beside it, and Outrider lists"
        " what the backup lacks before anything is sent.",
    ),
    "records_lost": _conflict(
        "Log entries that were saved are missing. {what}.",
        "Somebody or something removed or replaced the database or its `-wal` file. Put a newer backup back with"
        " `outrider restore FILE`, or continue without them with `outrider log accept-loss`: each person's"
        " conversation is then checked before anything is sent, and limits no longer count what was lost.",
    ),
    "heads_unreadable": _conflict(
        "The file {path}, which records where the logs ended, cannot be read: {detail}.",
        "It is therefore unknown whether entries are missing. Restore the file from a copy of the data folder, or"
        " continue with `outrider log accept-loss`.",
    ),
    "backup_exists": _conflict(
        "The file {path} already exists.", "Choose another name; a backup never overwrites anything."
    ),
    "backup_missing": _invalid("There is no file {path}.", "Check the path of the backup."),
    "backup_failed": _failed(
        "{path} could not be copied: {detail}.",
        "Check that its folder exists, the disk space and your permissions. Nothing was changed.",
    ),
    "backup_damaged": _invalid(
        "{path} is not an intact Outrider database: {detail}.", "Nothing was changed. Choose another backup."
    ),
    "backup_older": _conflict(
        "{path} is older than this data folder. {what}.",
        "Nothing was changed. Choose a newer backup, or restore this one with `outrider restore FILE --despite-loss`;"
        " the next start then asks before anything is sent.",
    ),
    "restore_scheduled": _conflict(
        "A backup will be restored at the next start, so nothing runs until then.",
        "Close Outrider and start it again, or cancel the restore in Settings, Data folder.",
    ),
    "restore_unfinished": _failed(
        "A backup is being restored to {path}, and could not be put in place yet: {detail}.",
        "The database that was there is kept. Check the disk and your permissions, and start Outrider again: it finishes this"
        " first.",
    ),
    "restore_while_running": _conflict(
        "A backup cannot be restored while a campaign is running.", "Stop the campaign first."
    ),
    "database_newer": _conflict(
        "The database {path} has schema {found}; this Outrider knows up to {known}.", "Install the newer Outrider."
    ),
    "database_unread": _failed(
        "The disk failed to read or write {path}: {detail}.",
        "It does not seem to be damaged, so try again. If the problem remains, check the disk and its connection, and"
        " save a backup with `outrider backup FILE`.",
    ),
    "clock_wrong": _conflict(
        "This computer's clock says {said}.",
        "Set the date and time, then start again. Nothing is decided or sent while the clock is wrong.",
    ),
    "database_failed": _failed(
        "The database {path} failed: {detail}.", "What was recorded before is kept; `outrider doctor` says more."
    ),
    "log_broken": _failed(
        "The {log} of {campaign} is broken at entry {seq}: {detail}.",
        "Somebody or something edited it. Everything before that entry is intact: restore a backup (`outrider restore FILE`).",
    ),
    "log_signature_broken": _failed(
        "A signature of the logs of {campaign} does not hold at event {event_seq}, audit entry {audit_seq}: {detail}.",
        "Somebody or something edited the logs or the signature. Restore a backup, or ask another device of yours.",
    ),
    "log_signature_missing": _failed(
        "Outside effects are not signed from event {seq} of {campaign} on.",
        "If the keychain was locked or missing, open it and close Outrider once: what is there is signed then. Otherwise somebody"
        " removed signatures; compare with a backup or another device.",
    ),
    "signer_unavailable": _conflict(
        "There is no key to sign with: {detail}",
        "Enter a passphrase in Settings, Keys, or unlock the keychain. In a terminal, `outrider proof` asks for it. Campaigns"
        " carry on meanwhile, and are signed once there is a key.",
    ),
    "proof_not_accepted": _invalid(
        "Nothing was written, because a proof contains personal data.",
        "Add `--accept-personal-data` if its recipient may have these data.",
    ),
    "shared_store_unsigned": _failed(
        "The shared store has entries of {campaign} that no device of yours signed, from {log} entry {seq} on.",
        "They were not taken over, and {campaign} begins nothing here; other campaigns go on (if it is the workspace's own log,"
        " which has the do-not-contact list, none does). Somebody with access to the project may have added them: ask whoever"
        " administers it, and compare the devices in Settings. If a device of yours is older than this one, update it.",
    ),
    "shared_store_words_missing": _failed(
        "The words of {log} entry {seq} of {campaign} are missing from the shared store, and none of your devices"
        " erased them.",
        "{campaign} begins nothing here; other campaigns go on (if it is the workspace's own log, which has the do-not-contact"
        " list, none does). If a device of yours is still sending an erasure, let it finish. Otherwise somebody with access to"
        " the project removed them: ask whoever administers it, and compare with another device or a backup.",
    ),
    "erasure_rewrites": _failed(
        "An erasure in {campaign} would change what {log} entry {seq} says instead of taking words out of it.",
        "It was not carried out. If it came from the shared store, {campaign} begins nothing here; other campaigns go on (if it"
        " is the workspace's own log, which has the do-not-contact list, none does). Find out which of your devices recorded it,"
        " and update or revoke that one.",
    ),
    "signing_key_refused": _failed(
        "The shared store gives another signing key for the device {device}, and its earlier key does not vouch for it.",
        "Nothing from there on was taken over. A device that lost its key sends none, so somebody with access to the project"
        " made this one: ask whoever administers it.",
    ),
    "signing_key_lost": _conflict(
        "This device has lost its signing key, and the other devices would not trust a new one.",
        "Detach and attach the project here: this becomes a new device with a key of its own. Whatever waits here stays"
        " here, and is sent then.",
    ),
    "log_not_foldable": _failed(
        "The tables cannot be rebuilt from the event log: entry {seq} of {campaign} cannot be replayed ({detail}).",
        "Run `outrider log verify` to see where the log was edited, and restore a backup with `outrider restore FILE`.",
    ),
    "log_newer": _conflict(
        "Entry {seq} of {campaign} was recorded by a newer Outrider: this one does not know {what}.",
        "Install the newer Outrider. If there never was one, `outrider log verify` shows where the log was edited.",
    ),
    "shared_store_log_broken": _failed(
        "The {log} of {campaign} in the shared store cannot be taken over from entry {seq} on: {detail}.",
        "Nothing of it was taken over. If the project was restored from a backup, detach this device and attach it again: "
        "what is here goes there. If somebody edited its logs, restore its backup.",
    ),
    "shared_store_newer": _conflict(
        "The shared store has entries from a newer Outrider ({kind}).",
        "Install the newer Outrider on this machine, too.",
    ),
    "shared_store_behind": _failed(
        "The shared store has lost entries of {campaign}: it has {there}, and had {here}.",
        "If it was restored from a backup or made anew, detach this device and attach it again: what is here goes there.",
    ),
    "project_attached": _conflict("A project is already attached.", "Detach it before you attach another."),
    "project_in_use": _conflict(
        "A project cannot be attached or detached while a campaign runs or the assistant works.",
        "Stop the campaign first.",
    ),
    "commitment_unknown": _unknown("The task has no such condition: {commitment}.", "Reload the page."),
    "assistant_works": _conflict(
        "The conversation cannot be erased while the assistant is working on a request.",
        "Wait for it, or stop it first.",
    ),
    "conflict_unknown": _unknown("This conflict has already been resolved.", "Reload the list."),
    "decision_not_repeatable": _conflict(
        "This decision cannot be repeated with one click.", "Make it again where you made it, or keep the current one."
    ),
    "not_attached": _conflict("No project is attached.", "Attach one under Settings."),
    "past_not_foldable": _conflict(
        "The event log cannot be replayed past entry {seq}: {detail}.",
        "`outrider log verify` shows whether it was edited. The past can be shown up to that entry.",
    ),
    "past_on_its_way": _conflict(
        "The campaign as it was after event {seq} is still being rebuilt.", "Wait a moment and look again."
    ),
    "entry_unknown": _unknown("There is no entry {seq} in this log.", "Reload the timeline."),
    "replay_differs": ErrorText(
        500,
        "{count} rows differ from the event log, first in {table} {key}.",
        "Keep a copy of the data folder, rebuild with `outrider replay --rebuild`, and report it.",
    ),
    "instance_running": _conflict(
        "Another Outrider is using {path}.",
        "Use that one, or close it first. Only one can use a data folder at a time.",
    ),
    "account_in_use": _conflict(
        "Another data folder acts on {network} by this account now: {other}.",
        "Nothing was begun here, and nothing is lost. Stop its campaigns and leave Send there, or close that Outrider; then start"
        " again here. If one is a copy of the other, go on with one of them only: neither knows what the other sends.",
    ),
    "account_lock_failed": _failed(
        "Outrider cannot see whether another data folder acts by this account: {path}: {detail}.",
        "Nothing was begun, and nothing is lost. Let your user write to that folder, or choose another one, on a disk of this"
        " computer and the same for all your data folders, with OUTRIDER_ACCOUNTS_DIR; then start again.",
    ),
    "data_folder_gone": _conflict(
        "The data folder {path} was moved, replaced or removed while Outrider was running, so this was not kept.",
        "What was recorded before is where that folder is now. Close Outrider, put the folder back or name it with `--data-dir`,"
        " and start again.",
    ),
    "updates_off": _conflict(
        "Looking for newer versions is off; nobody was asked.",
        "Set OUTRIDER_UPDATES to the address that is given where you got Outrider, or look there yourself.",
    ),
    "update_unreachable": _failed(
        "{host} did not say which versions there are ({detail}).", "Try again later; Outrider runs as before."
    ),
    "update_unsigned": _failed(
        "The list of versions at {host} is not signed by the key in OUTRIDER_UPDATES; nothing was fetched.",
        "Compare address and key with those that are given where you got Outrider; install nothing from there until they fit.",
    ),
    "update_older": _failed(
        "The list of versions at {host} is of {made}, and one of {seen} was here before; nothing was fetched.",
        "Somebody may be showing an old list so that you miss a version: look where you got Outrider, and install nothing from"
        " {host} until its list is newer.",
    ),
    "update_damaged": _failed(
        "{name} from {host} is not the file that the signed list names; it was removed.",
        "Try again. If it happens twice, tell whoever publishes it.",
    ),
    "update_differs": _conflict(
        "The new version does not come to the same tables from a copy of your log ({detail}). Nothing was changed, nothing kept.",
        "Stay on this version and tell whoever publishes it, with what stands in brackets.",
    ),
    "update_not_tried": _failed(
        "The version in {name} cannot be tried here without being installed; it was not kept.",
        "Make a backup (`outrider backup FILE`) and install it yourself, or stay on this version.",
    ),
    "data_dir_unusable": _failed(
        "The data folder {path} cannot be used: {detail}.", "Choose another with OUTRIDER_DATA_DIR or `--data-dir`."
    ),
    "on_network_drive": _failed(
        "{path} is on another computer, where a database is not safe: {detail}.",
        "It may not be damaged. Close every Outrider that uses it, copy its whole folder to a disk of this computer, and use it"
        " there; a data folder is chosen with OUTRIDER_DATA_DIR or `--data-dir`.",
    ),
    # the shared store, and signing in to it
    "project_address_refused": _invalid(
        "The project's address cannot be used: {why}.",
        "Copy “Project URL” from your project's settings, Data API; it looks like https://abcdefgh.supabase.co.",
    ),
    "project_key_secret": _invalid(
        "That is a secret key: whoever has it can read and change everything in the project.",
        "Copy the “publishable” (or “anon”) key instead, and replace the secret one in the dashboard if others saw it.",
    ),
    "project_key_missing": _invalid(
        "There is no terminal to ask for the project's public key.", "Set OUTRIDER_SUPABASE_KEY and try again."
    ),
    "project_key_refused": _invalid(
        "The project does not accept the key.",
        "Copy the “publishable” (or “anon”) key of this project from its settings, API keys.",
    ),
    "project_key_disabled": _invalid(
        "The project's legacy keys are switched off, and this device has one of them.",
        "Copy the “publishable” key from the project's settings, API keys, and sign in with it; nothing here is lost.",
    ),
    "project_unreachable": _invalid(
        "The project does not respond: {said}.",
        "Check the address and your connection. A paused project can be resumed in its dashboard.",
    ),
    "signed_out": _conflict(
        "Nobody is signed in to the shared store here.", "Sign in again in Settings, Sync & devices."
    ),
    "sign_in_wrong": _invalid(
        "The e-mail address or the password is wrong.", "Enter both again, or sign in by e-mail."
    ),
    "sign_in_unconfirmed": _invalid(
        "The e-mail address has not been confirmed yet.", "Open the link in the mail that was sent, or paste it here."
    ),
    "sign_in_code_wrong": _invalid(
        "The code is wrong, used, or too old.", "Enter the one from the latest mail, or ask for another."
    ),
    "sign_in_link_spent": _invalid(
        "The link has been used, or is too old.",
        "Ask for another mail. If your mail program opens links to check them, paste the link instead of opening it.",
    ),
    "sign_in_link_of_another": _invalid(
        "The link belongs to another project.",
        "Paste the link from the latest mail whole; it begins with this project's own address.",
    ),
    "sign_in_link_elsewhere": _invalid(
        "The link was not requested here, or not since Outrider was started.",
        "Ask for another mail here, and open its link on this machine or paste it before you open it.",
    ),
    "sign_in_paused": _invalid(
        "Too many attempts: the project asks for a pause.",
        "Wait a few minutes; a project without a mail service of its own sends only a few mails an hour.",
    ),
    "sign_in_known": _invalid("An account with this e-mail address already exists.", "Sign in to it instead."),
    "sign_up_unfinished": _conflict(
        "The account was created, but you are not signed in yet: {why}", "{remedy} Then sign in with that account."
    ),
    "sign_in_unknown": _invalid("There is no account with this e-mail address.", "Check it, or make an account first."),
    "sign_in_closed": _invalid(
        "The project takes no new accounts.",
        "Add the user in its dashboard (Authentication, Users, Add user), and sign in here.",
    ),
    "sign_in_mail_off": _invalid(
        "The project does not let anybody sign in by e-mail.", "Switch “Email” on in its settings, Authentication."
    ),
    "sign_in_mail_unsent": _invalid(
        "The project may not send mail to this address.",
        "Its built-in mail service writes to its team only: set up one of your own, or add the user in the dashboard.",
    ),
    "sign_in_email_refused": _invalid("The project does not take this e-mail address.", "Check how it is written."),
    "sign_in_password_weak": _invalid(
        "The project asks for a stronger password: {detail}", "Choose a longer one, of several words."
    ),
    "sign_in_banned": _invalid("The project has shut this account out.", "Ask whoever administers it."),
    "sign_in_captcha": _invalid(
        "The project asks for a CAPTCHA, which Outrider cannot show.",
        "Switch CAPTCHA protection off in its settings, Authentication.",
    ),
    "sign_in_refused": _invalid("The project refuses the sign-in: {detail}", "See its settings, Authentication."),
    # sites, browser, practice network
    "browser_missing": _failed(
        "No Chrome, Chromium or Edge was found.",
        "Install one (Debian, Ubuntu: `sudo apt install chromium`), or choose its program in Settings, Browser.",
    ),
    "browser_unusable": _invalid(
        "Outrider cannot use {program} as its browser: {detail}.",
        "Choose another in Settings, Browser, or with `outrider browser`.",
    ),
    "node_missing": _failed(
        "Node.js, which drives the browser, was not found: version 20 or newer is needed.",
        "Install it (Debian, Ubuntu: the package outrider-node that came with Outrider's, or nodejs), then try again.",
    ),
    "browser_closed": _failed(
        "The browser was closed.",
        "Press Continue, or run the command again: it is opened and the work goes on. Nothing is sent twice.",
    ),
    "browser_failed": _failed(
        "The browser did not start: {detail}.", "Try again; `outrider doctor` checks whether it can start here."
    ),
    "browser_profile_in_use": _failed(
        "The browser did not start: {who} is using its profile {profile}.",
        "Close the other windows of this profile, then continue.",
    ),
    "display_missing": _failed(
        "The browser did not start: there is no display to show it on (DISPLAY is not set).",
        "Start Outrider where windows can be shown. On the practice network, `--headless` hides the browser.",
    ),
    "webview_missing": _failed(
        "Outrider's window cannot be drawn: Microsoft's WebView2 Runtime is missing, or too old.",
        "Install the Evergreen WebView2 Runtime from https://developer.microsoft.com/microsoft-edge/webview2 and start again,"
        " or run `outrider app --no-window` and use the address that it prints.",
    ),
    "webview_failed": _failed(
        "Outrider's window cannot be drawn: Microsoft's WebView2 Runtime did not start ({detail}).",
        "Restart the computer. If that does not help, repair WebView2 in Windows' list of installed apps, or run"
        " `outrider app --no-window` and use the address that it prints.",
    ),
    "window_unguarded": ErrorText(
        500,
        "Outrider's window was closed, because nothing would have kept it on Outrider's page ({detail}).",
        "Run `outrider app --no-window` and use the address that it prints. Please report it.",
    ),
    "headless_forbidden": ErrorText(
        403, "A hidden browser is allowed only on the practice network.", "Run without `--headless`."
    ),
    "drive_log_in": _conflict(
        "LinkedIn shows its log-in page, and nobody logged in within five minutes.",
        "Start again and log in yourself in the browser window that opens. Outrider never asks for the password.",
    ),
    "site_unreachable": _failed("{site} does not answer: {detail}.", "Check the connection, then continue."),
    "selectors_changed": _failed(
        "{site} does not look as expected: {missing}.", "Nothing was done. Update Outrider or report the changed page."
    ),
    "practice_failed": _failed("The practice network did not start: {detail}.", "See `outrider doctor`."),
    "practice_gone": _failed(
        "The practice network has stopped.",
        "Press Continue, or run the command again, to start it. It remembers everything it received.",
    ),
    "ledger_differs": ErrorText(
        500,
        "The practice network's ledger differs from what Outrider recorded: delivered twice: {doubled}, never: {lost}.",
        "This is a defect of Outrider. Please report it with the ledger file of this rehearsal.",
    ),
    "port_busy": _conflict("Port {port} is in use.", "Choose another port or leave it out."),
    # leads, and what the user sets on them by hand
    "lead_unknown": _unknown("This person is not in this campaign.", "Go back to Leads and reload the list."),
    "lead_erased": _conflict("This person's data was erased; nothing new is kept of them.", "Choose somebody else."),
    "lead_not_found": _unknown(
        "No campaign has a lead “{lead}”.", "Enter their profile address or part of their name."
    ),
    "lead_ambiguous": _invalid(
        "“{lead}” matches several people: {who}.", "Enter the profile address of the person you mean."
    ),
    "lead_list_changed": ErrorText(400, "The list cannot be continued from there.", "Reload the list."),
    "priority_out_of_range": _invalid("{priority} is not a priority.", "Enter a whole number from 0 to 100."),
    "tags_not_usable": _invalid("The tags cannot be saved: {why}.", "Change them and save again."),
    "greeting_not_usable": _invalid("The greeting name cannot be saved: {why}.", "Change it and save again."),
    "note_too_long": _invalid(
        "The notes have {length} characters; the limit is {limit}.", "Shorten them. What you wrote is still here."
    ),
    "leads_stay": _conflict("They are in this campaign already.", "Choose another campaign."),
    "leads_too_many": _invalid("At most {most} leads can be changed at a time.", "Choose fewer at a time."),
    "import_running": _conflict(
        "A lead file is being imported.", "Wait until it has finished. Leads shows its progress."
    ),
    "person_under_way": _conflict(
        "Something is being sent to this person, or its delivery is not confirmed.",
        "Stop the campaign, or report the outcome in the Inbox, then try again.",
    ),
    "person_here_twice": _conflict(
        "This campaign has written to {name} already, by another row.",
        "Leave this row as it is: its person is looked after by the other one.",
    ),
    "approval_no_room": _conflict(
        "The message to {name} was not approved: the limits leave no room to send it in the next two months.",
        "Raise the campaign's limits, leave out the note where those of the month are used up, or approve it by itself.",
    ),
    "approval_too_early": _conflict(
        "The message to {name} can be approved on {day}: until then, those approved before it take all the room.",
        "Leave it in Review; or approve it by itself, if it should not wait for that day.",
    ),
    "person_held": _conflict(
        "The message to {name} was not approved. {why}", "Open this person: what can be done is offered there."
    ),
    "person_not_elsewhere": _conflict(
        "No other campaign is in touch with {name}.", "Nothing needs to be decided: this campaign may write to them."
    ),
    "contact_reason_missing": _invalid(
        "No reason was given for contacting this person anyway.",
        "Say why in a few words; the reason goes into the log.",
    ),
    "identity_not_asked": _conflict(
        "Nobody asks whether these are the same person.",
        "Reload the list: the question may have been answered, or their details may have changed.",
    ),
    "identity_answered": _conflict(
        "It was already answered, the other way, whether these are the same person.",
        "Take the earlier answer back first, or leave it.",
    ),
    "identity_answer_unknown": _unknown("There is no such answer.", "Reload the list of answers."),
    "reply_unknown": _unknown("This reply is not in this campaign any more.", "Reload the conversation."),
    "nothing_to_answer": _conflict(
        "{name} has not written to you in this campaign.",
        "Only people who wrote to you can be answered from the Inbox.",
    ),
    "answer_waiting": _conflict(
        "An answer to {name} is already waiting to be sent.", "Withdraw it first, or wait until it is sent."
    ),
    "answer_not_waiting": _conflict(
        "There is no answer to {name} to withdraw.", "Reload the conversation; it may have been sent."
    ),
    "answer_forbidden": _conflict(
        "{name} is on the do-not-contact list.", "Remove them from the list first if you want to write to them."
    ),
    "date_has_passed": _invalid("That date has passed.", "Choose a date in the future."),
    "export_without_history": _invalid(
        "{file} contains none of LinkedIn's tables of invitations, messages and connections.",
        "Choose LinkedIn's export zip, or messages.csv, Invitations.csv or Connections.csv from it.",
    ),
    "export_owner_unknown": _invalid(
        "{file} alone does not show which person in it is you.",
        "Choose the whole export zip, whose invitations show this.",
    ),
    "import_unknown": _unknown("This import is not in this campaign.", "Reload the list of imports."),
    "import_header_unknown": _conflict(
        "The header of {file} was not saved with its import.", "Save the rows with their reasons instead."
    ),
    "import_already_undone": _conflict(
        "The import of {file} has already been undone.", "Import the file again to bring its people back."
    ),
    "do_not_contact_import_unknown": _unknown(
        "There is no such import of a do-not-contact file.", "Settings, Do not contact, lists the imports."
    ),
    "do_not_contact_import_already_undone": _conflict(
        "The import of {file} has already been undone.", "Import the file again to put its entries back on the list."
    ),
    "do_not_contact_import_running": _conflict(
        "A do-not-contact file is being imported.", "Wait until it has finished, then try again."
    ),
    "do_not_contact_file_unknown": _invalid(
        "{file} has no column that says who is meant; its first row reads: {found}.",
        "Name a column “e-mail”, “profile”, “domain” or “company”, or give a list with one entry a line.",
    ),
    "lead_file_no_name_column": _invalid(
        "No column of {file} is used as the name.",
        "Choose the column with the name, or those with first and last name.",
    ),
    # lead files
    "lead_file_missing": _invalid("There is no file {file}.", "Check the path, or choose the file again."),
    "lead_file_is_a_directory": _invalid(
        "{file} is a folder, not a file.", "Choose the CSV file or the zip inside it."
    ),
    "lead_file_not_a_file": _invalid("{file} is not an ordinary file.", "Choose a CSV file or LinkedIn's export zip."),
    "lead_file_unreadable": _invalid(
        "{file} cannot be read: {problem}.", "Check that it is complete and that you may read it, then try again."
    ),
    "lead_file_changed": _invalid(
        "{file} was changed while it was being read.",
        "Wait until the other program has finished, then import it again.",
    ),
    "lead_file_empty": _invalid("{file} is empty.", "Export it again; nothing was imported."),
    "lead_file_only_notes": _invalid(
        "{file} contains LinkedIn's notes but no table below them.",
        "Ask LinkedIn for a new export; nothing was imported.",
    ),
    "lead_file_no_rows": _invalid("{file} has a header but no row below it.", "Export it again; nothing was imported."),
    "lead_file_unknown_format": _invalid(
        "{file} has no header that Outrider recognises; its first row reads: {found}.",
        "Choose the name column in the window or with `--map full_name=COLUMN`, or import LinkedIn's Connections.csv.",
    ),
    "lead_file_binary": _invalid(
        "{file} is not a text file ({kind}).", "Open it where it came from and save it as CSV in UTF-8."
    ),
    "lead_file_open_document": _invalid(
        "{file} is an OpenDocument file, as LibreOffice and OpenOffice write it.",
        "Open it there, choose File, Save As, and save it as an Excel workbook (.xlsx), or as Text CSV in UTF-8.",
    ),
    "lead_file_numbers": _invalid(
        "{file} is a document of Apple's Numbers or Pages.",
        "Open it with Numbers, choose File, Export To, and export it to Excel or to CSV in UTF-8.",
    ),
    "lead_file_address_cards": _invalid(
        "{file} has no table but address cards (vCard).",
        "Export the contacts as CSV: Google Contacts has Export, Google CSV; Outlook has File, Open & Export,"
        " Import/Export. Apple's Contacts writes cards only: import them into one of these first.",
    ),
    "lead_file_old_workbook": _invalid(
        "{file} is in the old format of Excel (.xls).",
        "Open it with Excel (File, Save As) or LibreOffice (File, Save As, file type Excel 2007-365), and save it as an Excel"
        " workbook (.xlsx), or as CSV in UTF-8.",
    ),
    "lead_file_workbook_protected": _invalid(
        "{file} is protected by a password.",
        "Open it with Excel, remove the password (File, Info, Protect Workbook), save it, and choose it again.",
    ),
    "lead_file_sheet_unknown": _invalid(
        "{file} has no sheet “{sheet}” with anything in it.", "Choose one that it has: {there}."
    ),
    "lead_file_without_sheets": _invalid(
        "{file} is no workbook, so it has no sheet “{sheet}”.", "Leave the sheet out."
    ),
    "lead_file_workbook_damaged": _invalid(
        "{file} is a workbook that cannot be read.",
        "Open it with Excel and save it as an Excel workbook (.xlsx) again, or as CSV in UTF-8.",
    ),
    "lead_file_workbook_too_large": _invalid(
        "{file} unpacks to too much: {part} has {megabytes} MB; the limit is {limit} MB.",
        "Delete what is not needed in it, or save the sheet as CSV in UTF-8.",
    ),
    "lead_file_not_a_table": _invalid(
        "{file} is no table but {kind}.",
        "Export the people as CSV where the file came from, or save it as CSV in UTF-8.",
    ),
    "lead_file_wrong_encoding": _invalid(
        "{file} cannot be read in its encoding (line {line}).", "Choose its encoding, or save it as CSV in UTF-8."
    ),
    "lead_file_unfinished": _invalid(
        "{file} has a gap near line {line}: empty bytes (NUL), as a copy or a download leaves them that did not finish.",
        "Copy or export it again; nothing was imported.",
    ),
    "lead_file_mixed_encodings": _invalid(
        "{file} is written in two encodings: most of it is UTF-8, line {line} is not.",
        "Save it as CSV in UTF-8, or import its parts one after another.",
    ),
    "lead_file_encoding_unknown": _invalid(
        "{file} cannot be read as “{encoding}”.", "Choose one of: {choices}; or save the file as CSV in UTF-8."
    ),
    "lead_file_too_large": _invalid(
        "{file} has {megabytes} MB; the limit is {limit} MB.",
        "Split it into smaller files and import one after another.",
    ),
    "lead_file_too_many_rows": _invalid(
        "{file} has more than {limit} rows.", "Split it into smaller files and import one after another."
    ),
    "lead_file_too_many_columns": _invalid(
        "{file} has {found} columns; the limit is {limit}.", "Remove columns you do not need."
    ),
    "lead_file_line_too_long": _invalid(
        "{file} has an endless line near line {line}.", "Check that it is a CSV file with one row per line."
    ),
    "lead_file_zip_damaged": _invalid(
        "{file} is a zip that cannot be unpacked.",
        "Download it again, or unpack it yourself and choose Connections.csv.",
    ),
    "lead_file_zip_encrypted": _invalid("{file} is protected by a password.", "Unpack it and choose Connections.csv."),
    "lead_file_zip_bomb": _invalid(
        "{file} unpacks to {ratio} times its size, which no lead file does.",
        "Do not open it; download the export again.",
    ),
    "lead_file_zip_unsafe_path": _invalid(
        "{file} contains a file with a dangerous path: {member}.", "Do not unpack it; download the export again."
    ),
    "lead_file_zip_too_many_members": _invalid(
        "{file} contains more files than an export does (limit {limit}).", "Unpack it and choose Connections.csv."
    ),
    "lead_file_zip_several": _invalid(
        "{file} contains several lead files: {members}.", "Unpack it and choose the one you mean."
    ),
    "lead_file_zip_in_zip": _invalid(
        "{file} contains another zip file and no lead file.", "Unpack it once and choose the zip file inside."
    ),
    "lead_file_zip_without_leads": _invalid(
        "{file} contains no lead file; it contains {found}.",
        "Unpack it and choose the table inside, or choose the export zip that contains Connections.csv.",
    ),
    "evidence_unknown": _unknown("This campaign has no such evidence.", "Reload; the page may be out of date."),
    "evidence_damaged": ErrorText(
        410,
        "The evidence {file} {what}.",
        "The log still holds its hash. Settings, Data folder, says how long pictures are kept; a copy of that folder"
        " may still have this one.",
    ),
    "setting_invalid": _invalid("{setting} is {value!r}; it must be {expected}.", "Correct it and start again."),
    # command line and API
    "bad_request": ErrorText(400, "The request is invalid: {detail}.", "Reload the page."),
    "internal_error": ErrorText(
        500,
        "Something unexpected went wrong.",
        "Nothing was lost. Try again, and report it if it keeps happening; if Outrider was started in a terminal, the details are"
        " there.",
    ),
    "token_refused": ErrorText(
        401,
        "The page does not have the key of this launch.",
        "Reload it; in a browser, type the new code from the terminal.",
    ),
    "origin_refused": ErrorText(
        403,
        "The request came from {what} and was refused.",
        "Use Outrider's own window or the address in the terminal.",
    ),
    "json_required": ErrorText(415, "The request is not JSON.", "Reload the page."),
    "bytes_required": ErrorText(415, "A file must be sent as bytes.", "Reload the page and choose the file again."),
    "request_too_large": ErrorText(
        413, "The request is too large.", "Shorten what you entered, or choose a smaller file, and try again."
    ),
    "upload_failed": _invalid(
        "The file could not be uploaded: {detail}.", "Free some space if the disk is full, and choose it again."
    ),
    "file_ticket_unknown": _unknown(
        "The file was not chosen since Outrider was started, or has already been written.", "Choose it again."
    ),
    "link_refused": _invalid(
        "The link does not lead to the web, so it was not opened.", "Copy it, if you trust it, and open it yourself."
    ),
    "folder_not_shown": _failed("The folder {path} could not be shown.", "Open it with your file manager."),
    "link_failed": _failed("No browser could be started.", "Copy the link and open it yourself."),
    "dialog_open": _conflict("A file dialog is open already.", "Use that one first, or close it."),
    "show_window_refused": ErrorText(
        401, "The request to show the window lacks this launch's secret.", "Start Outrider again."
    ),
    "copy_failed": _failed(
        "The clipboard does not hold what was copied.",
        "Copy it again. Another program may have had the clipboard open.",
    ),
    "notice_failed": _failed("The system shows no notifications.", "Check Outrider from time to time."),
    "export_failed": _invalid(
        "The file could not be written: {detail}.", "Nothing was changed; choose another place and try again."
    ),
    "path_refused": _invalid(
        "The name {name} would lead out of its folder.",
        "Nothing was read or written. If you put a link into the data folder, remove it.",
    ),
    "page_unknown": _unknown("There is nothing at this address.", "Go back to the list of campaigns."),
    "method_refused": ErrorText(405, "This address does not accept that kind of request.", "Reload the page."),
    "page_missing": _failed(
        "The page has not been built: {path} is missing.", "Run `make setup`, or install Outrider again."
    ),
    "pairing_refused": ErrorText(
        401, "That is not the code in the terminal.", "Type the latest one; a code works once, for ten minutes."
    ),
    "pairing_expired": ErrorText(
        401, "That code is too old: one works for ten minutes.", "Type the new code that the terminal shows now."
    ),
    "run_elsewhere": _conflict(
        "“{campaign}” is using Outrider's browser.", "Stop it first: a rehearsal needs the browser for itself."
    ),
    "task_settled": _conflict(
        "The task is already {status}.", "Reload it. Only an open task can take on more promises."
    ),
    "condition_impossible": ErrorText(
        400, "This can never be so, so nothing was added: {why}.", "Change the condition, and add it again."
    ),
    "command_not_approved": _conflict(
        "This is not exactly the command that was shown for approval, so nothing was added.",
        "Read the command again and approve it as it stands.",
    ),
    "command_not_shown": _conflict(
        "The message is understood as “{command}”, which is not what was shown before it was sent. Nothing was done.",
        "Reload the page and send it again.",
    ),
    # the shared store
    "lease_held_elsewhere": _conflict(
        "“{device}” has this account open, and only one device sends at a time.",
        "Let it finish, or take over: it hands over after its current action.",
    ),
    "shared_store_unreachable": _failed(
        "The shared store is out of reach: {detail}.",
        "You can read and decide everything in the meantime. Your decisions wait here and are uploaded when it is"
        " back.",
    ),
    "sign_in_locked": _failed(
        "The keys are locked on this device, and with them the sign-in to the shared store: {detail}.",
        "Unlock them. You can read and decide everything in the meantime; your decisions are uploaded then.",
    ),
    "project_paused": _failed(
        "The project is paused.",
        "Open it in Supabase's dashboard and choose “Resume project”; a free one is paused after a week without use.",
    ),
    "project_over_quota": _failed(
        "Supabase has restricted the project, because its plan is used up or a bill is unpaid: {detail}.",
        "See Usage and Billing of its organisation in the dashboard; the restriction ends with that, or with the next month.",
    ),
    "project_read_only": _failed(
        "The project takes nothing at present, because its database is read-only: {detail}.",
        "Mostly its disk is full: see Database, Disk in the dashboard. Nothing is lost, and Outrider goes on by itself.",
    ),
    "project_slow": _failed(
        "The project is out of reach: {detail}.",
        "Outrider keeps trying. If this persists on a good connection, check the project's health in the dashboard.",
    ),
    "project_certificate": _failed(
        "The project is out of reach: {detail}.",
        "Something in between poses as the project, such as a company proxy or a virus scanner. Exclude this host"
        " there, set SSL_CERT_FILE to a file with its certificate and start Outrider again, or use another network.",
    ),
    "network_sign_in": _failed(
        "The project is out of reach: {detail}.",
        "This network probably wants you to sign in first: open any web page in a browser, do what it asks, and try again.",
    ),
    "network_unreachable": _failed(
        "This machine cannot reach the project: {detail}.",
        "Check the network, any VPN and the proxy. A deleted project no longer has an address either.",
    ),
    "clock_differs": _conflict(
        "This machine's clock is probably wrong: {detail}.",
        "Let the system set date, time and zone by itself. If they are right, the project's certificate is at fault.",
    ),
    "shared_store_schema": _failed(
        "The project's tables do not match this Outrider: {detail}.",
        "Run Outrider's SQL in the project (`outrider sync schema` prints it), or install the newer Outrider.",
    ),
    "shared_store_refused": _failed(
        "The shared store refused what this device sent: {detail}.",
        "Nothing is lost, and Outrider tries again. If this persists, run `outrider log verify` and report it.",
    ),
    "entry_refused": _invalid(
        "The shared store refuses entry {seq} of {campaign}, a “{what}”: {detail}.",
        "It and what follows it in {campaign} stay on this machine; everything else is synchronised. Run Outrider's newest"
        " SQL in the project (`outrider sync schema` prints it) and try again. If this persists, run `outrider log verify` and"
        " report it.",
    ),
    "device_revoked": ErrorText(
        403,
        "This device may no longer send or record anything in the project: another of your devices revoked its access.",
        "If that was a mistake, detach the project here and sign in again: this becomes a new device, and messages that it approved"
        " on its own wait in Review again.",
    ),
    "rehearsal_elsewhere": _conflict(
        "Whether a message of this rehearsal arrived is known only to the practice network of another device.",
        "Start it there once to find out, or answer the question about it if you know.",
    ),
    "project_of_another": _conflict(
        "This workspace belongs to {email} in its project.",
        "Sign in as {email}, or detach the project first. An account that was deleted and made anew is another one.",
    ),
    "not_interactive": _conflict(
        "This needs a decision of yours, and there is no terminal to ask in.", "Run it in a terminal, or {instead}."
    ),
    "filter_too_long": _invalid(
        "{option} has {length} characters; the limit is {limit}.", "Enter a shorter part of what it must contain."
    ),
    "campaign_ambiguous": _conflict(
        "“{campaign}” may be several campaigns: {which}.", "Enter the id of the one you mean."
    ),
    "campaign_completed": _conflict(
        "The campaign is done and takes no more leads.", "Start a new campaign with this file."
    ),
    "campaign_in_error": _conflict(
        "The campaign has stopped with an error: {reason}",
        "Look into it, then run `outrider clear {campaign} --reason WHY`.",
    ),
    "import_unfinished": _conflict(
        "The import of {file} was interrupted.",
        "Repeat the command that began it, or run `outrider import {campaign} FILE`. Nobody is added twice.",
    ),
    "not_a_rehearsal": _conflict(
        "`outrider run` works on the practice network; this campaign is on {channel}.",
        "Run it in the window: `outrider app`. If you send the messages yourself, `outrider send {campaign}` shows who"
        " waits for you.",
    ),
    "editor_failed": _failed(
        "The editor {editor} could not be used: {detail}.",
        "Set EDITOR to another one, or unset it and type the message.",
    ),
    "unexpected": ErrorText(
        500,
        "Something unexpected went wrong ({kind}).",
        "Nothing that was done is lost. Run the command again, and please report the details in {file}.",
    ),
    "unexpected_failure": ErrorText(
        500,
        "Something unexpected happened: {what}.",
        "The campaign has stopped, and the logs show where. Recover it with a reason to continue, and report it if it"
        " happens again.",
    ),
    "closing": _conflict("Outrider is closing, so nothing new can start.", "Start it again; nothing was changed."),
    "agent_unknown": _unknown("There is no agent “{name}”.", "Choose one of: {known}."),
    "agent_input_missing": _invalid(
        "The agent {agent} needs {input}.", "Enter it; in a terminal, pass it with --{input}."
    ),
    "agent_days": _invalid("An agent can look back 1 to {most} days.", "Choose a number in that range."),
    "agent_running": _conflict("The agent {agent} is already running.", "Wait until it has ended, or cancel it."),
    "agent_run_unknown": _unknown("There is no completed run with that number.", "Choose one from the list of runs."),
    "agent_interrupted": _conflict(
        "Outrider closed while the agent was running.", "Run it again. Nothing was changed."
    ),
    "agent_folder_missing": _unknown(
        "The folder {directory} does not exist.", "Check its spelling, and that its disk is attached."
    ),
    "agent_folder_unreadable": _invalid(
        "The folder {directory} cannot be read: {detail}.", "Choose another folder, or give yourself read permission."
    ),
    "agent_search_time": _invalid("Searching {directory} took longer than {limit} s.", "Choose a smaller folder."),
    "agent_search_size": _invalid(
        "{directory} contains more than {limit} such files.", "Choose a smaller folder or fewer days."
    ),
    "agent_failed": _failed(
        "The agent {agent} gave up: {reason}.", "Nothing was changed; look into the reason and run it again."
    ),
    "agent_cancelled": _conflict(
        "The agent {agent} was stopped before it finished.", "Nothing was changed; run it again."
    ),
    "agent_steps": _agent_ended("it took more than {limit} steps."),
    "agent_run_time": _failed(
        "The agent {agent} was ended: its run took longer than {limit} s.", "Run it on less, such as a smaller folder."
    ),
    "agent_step_endless": _agent_ended("its step did not come to an end ({detail})."),
    "agent_step_blocked": _agent_ended("its step waited instead of answering ({detail})."),
    "agent_step_raised": _agent_ended("its step broke off with {detail}."),
    "agent_process_ended": _agent_ended("its process was over without a result."),
    "agent_memory": _agent_ended("it wanted more memory than it may have."),
    "agent_result": _agent_ended("its step did not give exactly one result ({detail})."),
    "agent_second_result": _agent_ended("its step gave a second result, or one without end."),
    "agent_tool_not_allowed": _agent_ended("it asked for “{tool}”, which is none of its tools."),
    "agent_tool_failed": _failed(
        "The tool {tool} failed: {detail}.", "Nothing was changed; look into the reason and run it again."
    ),
    "agent_tool_params": _agent_ended("it asked for {tool} in a way that is not allowed ({detail})."),
    "agent_state_unknown": _agent_ended("“{state}” is none of its states."),
    "agent_transition": _agent_ended("it went from {before} to {after}, which it did not declare."),
    "agent_context_changed": _agent_ended("it tried to change its context, which only the runtime writes."),
    "agent_thread": _agent_ended("it tried to start what runs beside it ({detail})."),
    "agent_file_access": _agent_ended("it tried to reach files by itself ({detail})."),
    "agent_system_call": _agent_ended("it tried to reach the system by itself ({detail})."),
    "proposal_rejected": _invalid(
        "The proposal was refused: {sentence} [{rejection}]", "Propose it again in another way; nothing was changed."
    ),
    "proposals_waiting": ErrorText(
        429,
        "{limit} proposals of connected programs already wait for the user.",
        "Wait until the user has decided about them.",
    ),
    "proposals_rejected": ErrorText(
        429,
        "{limit} proposals of connected programs were rejected in this campaign within a day.",
        "Change what the program proposes, and go on tomorrow.",
    ),
    "mcp_tool_unknown": _unknown("There is no tool {tool}.", "`tools/list` says which there are."),
    "program_name_invalid": _invalid(
        "A program's name has 1 to 60 visible characters.", "Type the name by which you know the program."
    ),
    "program_key_taken": _conflict("{name} has a key already.", "Renew that key, or use another name."),
    "program_key_unknown": _unknown("{name} has no key.", "Reload the list of keys."),
    "program_keys_too_many": _conflict("There are {most} keys already.", "Revoke one that is not used any more."),
    "mcp_arguments": _invalid(
        "These arguments do not fit the tool {tool}: {detail}.",
        "Its input schema says what it takes; nothing was changed.",
    ),
    "mcp_resource_unknown": _unknown(
        "There is no resource {uri}.", "`resources/templates/list` says how they are called."
    ),
    "host_unknown": _unknown("Outrider does not know the program {host}.", "Add the configuration yourself."),
    "host_config_changed": _conflict(
        "The configuration of {host} changed since it was shown.", "Check it again. Nothing was written."
    ),
    "host_config_edited": _conflict(
        "Outrider's entry in the configuration of {host} has changed since.", "Remove “outrider” from it yourself."
    ),
    "host_config_unreadable": _invalid(
        "The configuration of {host} cannot be read as JSON, so nothing was added to it.",
        "Paste the lines into it yourself.",
    ),
    "host_config_unwritable": _failed("{path} cannot be written: {detail}.", "Paste the lines into it yourself."),
    "program_moves": _conflict(
        "macOS runs Outrider from a place that changes at each start ({program}).",
        "Drag Outrider to Applications, start it there, then connect again.",
    ),
    "servitor_unknown": _unknown("There is no open task called {servitor}.", "`list_servitors` lists them."),
    "servitor_name_taken": _conflict("A task called {name} already exists.", "Choose another name, or leave it out."),
    "servitor_without_campaign": _conflict(
        "A task belongs to a campaign, and there is no open campaign.", "Create a campaign first, or name one."
    ),
    "servitors_many": ErrorText(429, "This campaign already has {limit} such tasks.", "Dismiss some of them first."),
}
