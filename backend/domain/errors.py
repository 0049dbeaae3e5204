"""Every error that reaches a person: a stable code, what happened, and what to do (design: contracts, "Errors for people")."""

from typing import NamedTuple


class Wording(NamedTuple):
    """What happened and what to do about it; both are `str.format` templates over the error's facts."""

    sentence: str
    remedy: str


WORDING: dict[str, Wording] = {
    # turn and campaign machines
    "illegal_transition": Wording(
        "The turn machine has no transition from {state} on {event}.",
        "This is a defect in Outrider; the campaign has stopped and nothing was executed. Please report it.",
    ),
    "illegal_status": Wording(
        "A {noun} cannot go from {state} to {target}.", "Reload and look at its current status; nothing was changed."
    ),
    "turn_in_flight": Wording("A turn is already in flight for this campaign.", "Wait for it to finish or press Stop."),
    "campaign_unknown": Wording("There is no campaign {campaign}.", "List them with `outrider status`."),
    "turn_unknown": Wording("There is no turn {turn} on record.", "Choose one from the list of turns."),
    "task_unknown": Wording("There is no task {task}.", "Go back to the list of tasks."),
    "campaign_empty": Wording(
        "The campaign has no leads.", "Import a lead file with `outrider import {campaign} FILE`."
    ),
    "campaign_not_active": Wording(
        "The campaign is {status}, so it does not run.", "See where it stands with `outrider status {campaign}`."
    ),
    "invariant_broken": Wording(
        "An invariant does not hold: {what}.",
        "The campaign has stopped. Run `outrider replay --check` and `outrider log verify`, then recover it with a reason.",
    ),
    "sequence_invalid": Wording("The sequence cannot be used: {why}.", "Change that step; what you wrote is kept."),
    "blueprint_weights": Wording(
        "The weights amount to {sum}, not to 100.", "Change them until they amount to 100; nothing was saved."
    ),
    "blueprint_too_large": Wording(
        "The blueprint has {size} characters; {limit} are allowed.", "Leave some words or criteria out."
    ),
    "blueprint_field_unknown": Wording(
        "No lead of this campaign has the field “{field}”.", "Choose one that there is: {known}."
    ),
    "blueprint_unchanged": Wording("That is the blueprint in force.", "Score again with it, or change it."),
    "blueprint_changed": Wording(
        "The blueprint was changed meanwhile.", "Look at the current one, then save yours again."
    ),
    "blueprint_invalid": Wording("The blueprint cannot be used: {why}.", "Change that criterion; nothing was saved."),
    "hours_empty": Wording(
        "These working hours leave no time to act.", "Choose at least one day, and an end after the beginning."
    ),
    "settings_changed": Wording(
        "The campaign's settings were changed meanwhile.", "Look at the current ones, then save yours again."
    ),
    "site_not_available": Wording(
        "{site} cannot be used in this version.",
        "Choose the practice network; your leads stand in for themselves there.",
    ),
    "profile_in_use": Wording("The browser profile is in use by a running campaign.", "Stop the campaign first."),
    "profile_kept": Wording(
        "The browser profile could not be removed: {detail}.", "Close the browser that uses it and try again."
    ),
    "person_unclear": Wording(
        "{given} names nobody.", "Give the address of a profile, such as linkedin.com/in/name, or an e-mail address."
    ),
    "person_not_listed": Wording("This person is not on the list any more.", "Nothing was changed."),
    # approvals and messages
    "approval_unknown": Wording(
        "There is no draft {message} waiting for approval.", "Reload Review; it may be decided."
    ),
    "approval_text_changed": Wording(
        "The text or the recipient is no longer what was shown.", "Read the current draft and approve that one."
    ),
    "auto_approve_forbidden": Wording(
        "Automatic approval works only on the practice network.", "Approve each message yourself on a real site."
    ),
    "rejection_final": Wording(
        "The rejection cannot be taken back any more: {why}.", "The text stays in the log; edit the next draft instead."
    ),
    "text_too_long": Wording(
        "The text has {length} characters; {kind} allows {limit}.", "Shorten it and try again; the draft is kept."
    ),
    "text_not_sendable": Wording("The text cannot be sent as it is: {why}", "Change it and save again."),
    "answer_not_offered": Wording("{answer!r} is not one of the answers.", "Choose one of: {choices}."),
    "question_unknown": Wording("There is no open question {question}.", "Reload; it may have been answered."),
    # artifacts
    "artifact_unknown": Wording(
        "This campaign has no version {version} of {type} “{key}”.", "Choose it from the list of artifacts."
    ),
    "artifact_type_unknown": Wording("{type!r} is not a type of artifact.", "Choose one of: {types}."),
    "artifact_key_invalid": Wording(
        "“{key}” cannot be a key.",
        "Use up to 64 of a-z, 0-9, dot, dash and underscore, beginning with a letter or digit.",
    ),
    "artifact_empty": Wording("There is no content.", "Type, paste or choose what is to be kept."),
    "artifact_too_large": Wording(
        "The content has {bytes} bytes; {limit} are allowed.", "Keep the part that matters, or split it."
    ),
    "artifact_damaged": Wording(
        "The file of this artifact, {sha256}, {what}.",
        "The log still holds its hash; put the file back from a backup of the data folder.",
    ),
    "artifact_not_text": Wording(
        "The content is not text in UTF-8 (at position {at}).", "Save it as UTF-8 text and choose it again."
    ),
    "field_unknown": Wording("Leads cannot be grouped by {field!r}.", "Choose one of the fields that are offered."),
    "artifact_version_taken": Wording(
        "Meanwhile {type} “{key}” is at version {latest}.", "Look at that version, then save yours after it."
    ),
    # configuration, soul and skills
    "config_protected": Wording("{key} is not written like other settings.", "Change {where}."),
    "soul_empty": Wording("There is no text.", "Write how the agent shall sound, or go back to an earlier version."),
    "soul_too_long": Wording("The text has {length} characters; {limit} are allowed.", "Keep what matters most."),
    "soul_hidden_character": Wording("The text holds a character that nobody sees ({point}).", "Delete it."),
    "soul_secret": Wording(
        "This looks like {what}.",
        "Take it out: what stands here is sent to the model. Keys are kept in Settings, Models.",
    ),
    "soul_claims_rights": Wording(
        "“{quote}”: {why}", "Say how to write; what may be done is decided by you and by the limits."
    ),
    "soul_changed": Wording(
        "The voice was changed meanwhile; it is at version {version}.",
        "Compare it with yours, then save again; what you wrote is kept.",
    ),
    "soul_version_unknown": Wording("There is no version {version} of the voice.", "Choose one from the history."),
    "skill_unknown": Wording("There is no such skill.", "Reload the list; it may have been removed."),
    "skill_without_document": Wording("{file} has no SKILL.md.", "Choose a skill's own folder, or a zip of it."),
    "skill_not_text": Wording("SKILL.md is not text in UTF-8 (at byte {at}).", "Save it as UTF-8 text."),
    "skill_front_matter": Wording(
        "The front matter of SKILL.md cannot be used: {why}.",
        "It names name, description, applies-to and version, between two lines of three dashes.",
    ),
    "skill_claims_rights": Wording(
        "The front matter asks for “{key}”.", "A skill adds words, never tools or rights; remove that key."
    ),
    "skill_empty": Wording("The skill has no instructions.", "Write them below the front matter."),
    "skill_too_long": Wording(
        "The instructions have {length} characters; {limit} are allowed.", "Shorten or split them."
    ),
    "skill_hidden_character": Wording(
        "Line {line} of SKILL.md holds a character that nobody sees ({point}).", "Delete it, or do not use this skill."
    ),
    "skill_secret": Wording(
        "Line {line} of SKILL.md holds what looks like {what}.", "Take it out: instructions are sent to the model."
    ),
    "skill_name_taken": Wording("There is another skill called {name}.", "Give this one another name."),
    "skill_store_full": Wording("{limit} skills are installed.", "Remove one that you do not use."),
    "skill_changed": Wording("{name} is not what was shown any more.", "Read the current text and approve that one."),
    "skill_unreviewed": Wording("{name} was not reviewed yet.", "Read it and approve it first."),
    "skill_builtin": Wording("{name} comes with Outrider and stays in the list.", "Switch it off instead."),
    "skill_crowded": Wording(
        "As many skills as a prompt may hold are in use for {occasion}, so {name} cannot be added.",
        "Switch one of them off first.",
    ),
    "skill_source_unknown": Wording(
        "{file} is neither a folder nor a zip nor a SKILL.md.", "Choose a skill's folder, or a zip of it."
    ),
    "skill_source_unreadable": Wording("{file} cannot be read: {detail}.", "Check it and choose it again."),
    "skill_source_damaged": Wording("{file} is a zip that cannot be unpacked.", "Make or download it again."),
    "skill_source_several": Wording("{file} holds more than one SKILL.md.", "Choose a zip with one skill in it."),
    "skill_source_link": Wording("{file} holds a link: {member}.", "Put the file itself in its place."),
    "skill_source_unsafe_path": Wording(
        "{file} holds a file with a dangerous path: {member}.", "Do not unpack it, and do not trust where it came from."
    ),
    "skill_source_bomb": Wording("{file} unpacks to {ratio} times its size, which no skill does.", "Do not unpack it."),
    "skill_source_too_large": Wording(
        "{file} is larger than a skill may be: {files} files, {kilobytes} kB.", "Keep SKILL.md and what belongs to it."
    ),
    # proposer
    "proposer_unavailable": Wording(
        "The model gave no answer: {why}.", "Check the model's settings, then continue; nothing was executed."
    ),
    "proposer_unauthorised": Wording(
        "{host} refused the key.", "Set the key anew in Settings, Models; nothing was executed."
    ),
    "proposer_rate_limited": Wording(
        "{host} allows no more requests for now.", "Wait a little, then continue; nothing was executed."
    ),
    "proposer_unreachable": Wording(
        "{host} cannot be reached.", "Check that it runs and that its address is right, then continue."
    ),
    "proposer_failed": Wording(
        "{host} failed (HTTP {status}).", "Continue later, or choose another model; nothing was executed."
    ),
    "proposer_request_refused": Wording(
        "{host} did not accept the request (HTTP {status}): {detail}",
        "Check the model's name and how its replies are asked for in Settings, Models.",
    ),
    "proposer_timeout": Wording(
        "{host} took longer than {seconds} s {what}.",
        "Allow it more time in Settings, Models, or choose a faster model.",
    ),
    "proposer_refused": Wording(
        "The model declined to answer.", "Its words are in the turn's record; change the goal or choose another model."
    ),
    "proposer_empty": Wording("The model said nothing.", "Continue, or choose another model; nothing was executed."),
    "proposer_cut_off": Wording(
        "The reply ended before it was whole: {why}.", "What was heard is kept in the turn's record and not executed."
    ),
    "proposer_garbled": Wording(
        "{host} does not answer as its provider's protocol says.",
        "Check the address and the provider in Settings, Models; nothing was executed.",
    ),
    "proposer_stopped": Wording("You stopped while the model was answering.", "Continue whenever you like."),
    "proposer_key_missing": Wording(
        "There is no key “{key}” for this model.", "Enter it in Settings, Models, or set {variable} before the start."
    ),
    "proposer_not_installed": Wording(
        "The library for {provider} is not part of this installation.", "Install outrider[{extra}] and start again."
    ),
    # connections to models, and their keys
    "model_unknown": Wording(
        "There is no connection “{connection}” to a model.", "Choose one that there is, in the campaign's settings."
    ),
    "model_in_use": Wording(
        "The connection is used by {campaigns}.", "Choose another model there first; nothing was removed."
    ),
    "model_address_refused": Wording(
        "The address cannot be used: {why}.", "Use https://, or a server on this machine."
    ),
    "model_budget_spent": Wording(
        "The campaign's budget for its model does not allow another request: {spent} of {budget} are spent.",
        "Raise the budget in the campaign's limits, or let the built-in script go on.",
    ),
    "host_not_allowed": Wording(
        "{host} was not called: it is not on the list of hosts that may be.",
        "What may be called follows from your models and your project in Settings; the list is at “What leaves this machine”.",
    ),
    "key_not_for_host": Wording(
        "The key “{key}” was not shown to {host}: nobody said on a device of yours that it is for there.",
        "Look at the connection in Settings, Models, and save it here if it is yours.",
    ),
    "key_read_only": Wording("The key is set by {where}.", "Change it there and start again."),
    "keychain_missing": Wording(
        "This machine has no keychain that Outrider trusts.",
        "Start a keyring, or give the key as OUTRIDER_KEY_ and its name in the environment.",
    ),
    "keychain_locked": Wording("The keychain is locked.", "Unlock it and try again."),
    "keychain_failed": Wording("The keychain did not do it ({kind}).", "Try again; nothing else was changed."),
    # the vault, and files sealed on this device
    "vault_locked": Wording("{why}.", "Open the vault in Settings, Keys."),
    "passphrase_wrong": Wording(
        "That is not the passphrase.", "Type it again; nothing was changed. It is kept nowhere."
    ),
    "passphrase_short": Wording(
        "The passphrase is too short.", "Take at least {least} characters; four words that you will remember do well."
    ),
    "recovery_code_wrong": Wording(
        "That is not the recovery code.", "Copy it again from the latest recovery kit; an earlier kit's opens nothing."
    ),
    "vault_parameters_refused": Wording(
        "The shared store's vault was not opened: {why}.",
        "Somebody may have tampered with it. Make a new recovery kit on a device that opens it.",
    ),
    "vault_without_kit": Wording(
        "There is no recovery kit.", "Make one in Settings, Keys, on the device where the keys are."
    ),
    "vault_changed": Wording("The vault was changed meanwhile.", "Look at the keys again, then repeat it."),
    "key_unreadable": Wording("The key “{key}” cannot be opened with this vault.", "Enter it again in Settings, Keys."),
    "device_unknown": Wording("There is no such device, or it was revoked already.", "Reload the list of devices."),
    "device_here": Wording("That is this device.", "Revoke it from another one, or detach the project here."),
    "sealed_file_damaged": Wording(
        "The sealed file {file} cannot be opened: it was changed, or belongs to another machine.",
        "Sign in again, or open the vault with passphrase and recovery code in Settings, Keys.",
    ),
    "sealed_file_failed": Wording(
        "The sealed file {file} could not be written: {detail}.",
        "Free some space or mend the data folder, and try again.",
    ),
    "prompt_too_long": Wording(
        "What the model must be told has about {needed} tokens; {limit} are allowed.",
        "Shorten the voice or the skills, or choose a model with a larger context.",
    ),
    # store
    "database_locked": Wording(
        "The database {path} is locked by another program.", "Close the other program and start again."
    ),
    "database_read_only": Wording(
        "The database {path} cannot be written.",
        "Give your user write permission on the data folder, or choose another.",
    ),
    "database_full": Wording("The disk that holds {path} is full.", "Free some space and continue; nothing was lost."),
    "database_corrupt": Wording(
        "The database {path} is damaged: {detail}.",
        "Do not write to it. Restore a backup, or run `outrider log verify` to see up to where it is sound.",
    ),
    "database_newer": Wording(
        "The database {path} has schema {found}; this Outrider knows up to {known}.", "Install the newer Outrider."
    ),
    "database_failed": Wording("The database {path} failed: {detail}.", "Nothing was lost; see `outrider doctor`."),
    "log_broken": Wording(
        "The {log} of {campaign} is broken at entry {seq}: {detail}.",
        "Somebody or something edited it. Everything before that entry is sound; restore a backup.",
    ),
    "authority_log_broken": Wording(
        "The {log} of {campaign} in the shared store cannot be taken over from entry {seq} on: {detail}.",
        "Nothing of it was taken over. Check the project; if somebody edited its logs, restore its backup.",
    ),
    "authority_newer": Wording(
        "The shared store has entries of a later Outrider ({kind}).", "Install the newer Outrider on this machine, too."
    ),
    "authority_behind": Wording(
        "The shared store has lost entries of {campaign}: it has {there}, and had {here}.",
        "If it was restored from a backup or made anew, detach this device and attach it again: what is here goes there.",
    ),
    "project_attached": Wording("A project is attached already.", "Detach it before you attach another."),
    "project_in_use": Wording(
        "A campaign runs, or the assistant works; the project cannot be attached or detached under it.",
        "Stop the campaign first.",
    ),
    "set_aside_unknown": Wording("This decision does not wait for a choice any more.", "Reload the list."),
    "not_again": Wording(
        "This cannot be decided again with one click.", "Do it again where you did it, or keep what holds now."
    ),
    "not_attached": Wording("No project is attached.", "Attach one under Settings."),
    "past_not_foldable": Wording(
        "The event log cannot be folded past entry {seq}: {detail}.",
        "Verify the log to see whether it was edited; up to that entry the past can be shown.",
    ),
    "past_on_its_way": Wording(
        "The campaign as it was after event {seq} is still being put together.", "Wait a moment and look again."
    ),
    "entry_unknown": Wording("There is no entry {seq} in this log.", "Reload the timeline."),
    "replay_differs": Wording(
        "{count} rows differ from what the event log says, first in {table} {key}.",
        "Keep a copy of the data folder and rebuild with `outrider replay --rebuild`.",
    ),
    "instance_running": Wording(
        "Another Outrider is using {path}.", "Use that one, or close it first; each data folder serves one at a time."
    ),
    "data_dir_unusable": Wording(
        "The data folder {path} cannot be used: {detail}.", "Choose another with OUTRIDER_DATA_DIR or --data-dir."
    ),
    # the shared store, and signing in to it
    "project_address_refused": Wording(
        "The project's address cannot be used: {why}.",
        "Copy “Project URL” from your project's settings, Data API; it looks like https://abcdefgh.supabase.co.",
    ),
    "project_key_secret": Wording(
        "That is a secret key: whoever has it can read and change everything in the project.",
        "Copy the “publishable” (or “anon”) key instead, and replace the secret one in the dashboard if others saw it.",
    ),
    "project_key_missing": Wording(
        "There is no terminal to ask for the project's public key.", "Set OUTRIDER_SUPABASE_KEY and try again."
    ),
    "project_key_refused": Wording(
        "The project does not accept the key.",
        "Copy the “publishable” (or “anon”) key of this very project from its settings, API keys.",
    ),
    "project_unreachable": Wording(
        "The project cannot be asked: {said}.",
        "Check the address and your connection; a paused project wakes up in its dashboard.",
    ),
    "signed_out": Wording("Nobody is signed in to the shared store here.", "Sign in again in Settings, Shared store."),
    "sign_in_wrong": Wording(
        "The e-mail address or the password is wrong.", "Type both again, or ask for a code by e-mail."
    ),
    "sign_in_unconfirmed": Wording(
        "The e-mail address was not confirmed yet.", "Follow the link in the mail that was sent, then sign in."
    ),
    "sign_in_code_wrong": Wording(
        "The code is wrong, used, or too old.", "Type the one from the latest mail, or ask for another."
    ),
    "sign_in_paused": Wording(
        "Too many attempts: the project asks for a pause.",
        "Wait a few minutes; a project without a mail service of its own sends only a few mails an hour.",
    ),
    "sign_in_known": Wording("There is an account with this e-mail address.", "Sign in to it instead."),
    "sign_in_unknown": Wording("There is no account with this e-mail address.", "Check it, or make an account first."),
    "sign_in_closed": Wording(
        "The project takes no new accounts.", "Allow sign-ups in its settings, Authentication, or add the user there."
    ),
    "sign_in_mail_off": Wording(
        "The project does not let anybody sign in by e-mail.", "Switch “Email” on in its settings, Authentication."
    ),
    "sign_in_mail_unsent": Wording(
        "The project may not send mail to this address.",
        "Its built-in mail service writes to its team only: set up one of your own, or add the user in the dashboard.",
    ),
    "sign_in_email_refused": Wording("The project does not take this e-mail address.", "Check how it is written."),
    "sign_in_password_weak": Wording(
        "The project asks for a stronger password: {detail}", "Choose a longer one, of several words."
    ),
    "sign_in_banned": Wording("The project has shut this account out.", "Ask whoever administers it."),
    "sign_in_captcha": Wording(
        "The project asks for a CAPTCHA, which Outrider cannot show.",
        "Switch CAPTCHA protection off in its settings, Authentication.",
    ),
    "sign_in_refused": Wording("The project refuses the sign-in: {detail}", "See its settings, Authentication."),
    # sites, browser, practice network
    "browser_missing": Wording(
        "No Chrome, Chromium or Edge was found.", "Install one, or run `playwright install chromium`."
    ),
    "browser_failed": Wording(
        "The browser could not be used: {detail}.", "Close other windows of its profile and retry."
    ),
    "headless_forbidden": Wording(
        "A hidden browser is allowed only on the practice network.", "Run without --headless."
    ),
    "site_unreachable": Wording("{site} does not answer: {detail}.", "Check the connection, then continue."),
    "selectors_changed": Wording(
        "{site} does not look as expected: {missing}.", "Nothing was done. Update Outrider or report the changed page."
    ),
    "practice_failed": Wording("The practice network did not start: {detail}.", "See `outrider doctor`."),
    "port_busy": Wording("Port {port} is in use.", "Choose another port or leave it out."),
    # leads, and what the user sets on them by hand
    "lead_unknown": Wording("There is no lead {lead} in this campaign.", "Go back to the list and reload it."),
    "lead_list_changed": Wording("The list cannot be continued from there.", "Reload the list."),
    "priority_out_of_range": Wording("{priority} is not a priority.", "Give a whole number from 0 to 100."),
    "tags_not_usable": Wording("The tags cannot be kept: {why}.", "Change them and save again."),
    "note_too_long": Wording(
        "The notes have {length} characters; {limit} are kept.", "Shorten them; what you wrote is still here."
    ),
    "import_running": Wording(
        "A lead file is being imported at this moment.", "Wait until it has finished; its progress is shown in Leads."
    ),
    "import_unknown": Wording("There is no import {import_id} in this campaign.", "Reload the list of imports."),
    "lead_file_no_name_column": Wording(
        "No column of {file} is used as the name.",
        "Choose the column with the name, or those with first and last name.",
    ),
    # lead files
    "lead_file_missing": Wording("There is no file {file}.", "Check the path, or choose the file again."),
    "lead_file_is_a_directory": Wording("{file} is a folder, not a file.", "Choose the CSV file or the zip inside it."),
    "lead_file_not_a_file": Wording("{file} is not an ordinary file.", "Choose a CSV file or LinkedIn's export zip."),
    "lead_file_unreadable": Wording(
        "{file} cannot be read: {problem}.", "Check that it is complete and that you may read it, then try again."
    ),
    "lead_file_changed": Wording(
        "{file} was changed while it was being read.",
        "Wait until the other program has finished, then import it again.",
    ),
    "lead_file_empty": Wording("{file} is empty.", "Export it again; nothing was imported."),
    "lead_file_only_notes": Wording(
        "{file} holds LinkedIn's notes but no table below them.", "Ask LinkedIn for a new export; nothing was imported."
    ),
    "lead_file_no_rows": Wording("{file} has a header but no row below it.", "Export it again; nothing was imported."),
    "lead_file_unknown_format": Wording(
        "{file} has no header that Outrider knows; its first row reads: {found}.",
        "Import LinkedIn's Connections.csv, with its columns First Name, Last Name and Connected On.",
    ),
    "lead_file_binary": Wording(
        "{file} is not a text file ({kind}).", "Open it where it came from and save it as CSV in UTF-8."
    ),
    "lead_file_wrong_encoding": Wording(
        "{file} is not readable as UTF-8, UTF-16 or Windows-1252 text (line {line}).", "Save it as CSV in UTF-8."
    ),
    "lead_file_too_large": Wording(
        "{file} has {megabytes} MB; the limit is {limit} MB.",
        "Split it into smaller files and import one after another.",
    ),
    "lead_file_too_many_rows": Wording(
        "{file} has more than {limit} rows.", "Split it into smaller files and import one after another."
    ),
    "lead_file_too_many_columns": Wording(
        "{file} has {found} columns; the limit is {limit}.", "Remove the columns that you do not need."
    ),
    "lead_file_line_too_long": Wording(
        "{file} has a line without end near line {line}.", "Check that it is a CSV file with one row a line."
    ),
    "lead_file_zip_damaged": Wording(
        "{file} is a zip that cannot be unpacked.",
        "Download it again, or unpack it yourself and choose Connections.csv.",
    ),
    "lead_file_zip_encrypted": Wording(
        "{file} is protected by a password.", "Unpack it yourself and choose Connections.csv."
    ),
    "lead_file_zip_bomb": Wording(
        "{file} unpacks to {ratio} times its size, which no lead file does.",
        "Do not open it; download the export again.",
    ),
    "lead_file_zip_unsafe_path": Wording(
        "{file} holds a file with a dangerous path: {member}.", "Do not unpack it; download the export again."
    ),
    "lead_file_zip_too_many_members": Wording(
        "{file} holds more files than an export does (limit {limit}).", "Unpack it yourself and choose Connections.csv."
    ),
    "lead_file_zip_without_leads": Wording(
        "{file} holds no lead file; it holds {found}.", "Choose the export zip that contains Connections.csv."
    ),
    "evidence_unknown": Wording(
        "No record of this campaign names that evidence.", "Reload; the page may be older than what it shows."
    ),
    "evidence_damaged": Wording(
        "The evidence {file} {what}.",
        "The log still holds its hash; put the file back from a backup of the data folder.",
    ),
    "setting_invalid": Wording("{setting} is {value!r}; it takes {expected}.", "Correct it and start again."),
    # command line and API
    "bad_request": Wording("The request is not understood: {detail}.", "Reload the page."),
    "internal_error": Wording(
        "Something went wrong that Outrider did not expect.",
        "Nothing was lost. Look at the terminal, try again, and report it if it stays.",
    ),
    "token_refused": Wording(
        "The page does not hold the key of this launch.",
        "Reload it; in a browser, type the new code from the terminal.",
    ),
    "origin_refused": Wording(
        "The request came from {what} and was refused.", "Use Outrider's own window or the address in the terminal."
    ),
    "json_required": Wording("The request is not JSON.", "Reload the page."),
    "bytes_required": Wording("A file is sent as its bytes.", "Reload the page and choose the file again."),
    "request_too_large": Wording(
        "The request is too large.", "Shorten what you entered, or choose a smaller file, and try again."
    ),
    "upload_failed": Wording(
        "The file could not be taken over: {detail}.", "Free some space if the disk is full, and choose it again."
    ),
    "file_ticket_unknown": Wording(
        "The file was not chosen since Outrider was started, or was written already.", "Choose it again."
    ),
    "link_refused": Wording(
        "The link does not lead to the web, so it was not opened.", "Copy it, if you trust it, and open it yourself."
    ),
    "link_failed": Wording("No browser could be started.", "Copy the link and open it yourself."),
    "dialog_open": Wording("A file dialog is open already.", "Choose there first, or close it."),
    "knock_refused": Wording("That is not this Outrider's knock.", "Start Outrider again."),
    "notice_failed": Wording("The system shows no notifications.", "Look at Outrider from time to time."),
    "export_failed": Wording(
        "The file could not be written: {detail}.", "Nothing was changed; choose another place and try again."
    ),
    "page_unknown": Wording("There is nothing at this address.", "Go back to the list of campaigns."),
    "method_refused": Wording("The address does not take this kind of request.", "Reload the page."),
    "page_missing": Wording("The page is not built: there is no {path}.", "Run `make setup`."),
    "pairing_refused": Wording(
        "That is not the code in the terminal.", "Type the latest one; a code works once, for ten minutes."
    ),
    "pairing_paused": Wording("Too many codes were tried.", "Wait a minute and type the latest one."),
    "run_elsewhere": Wording("Another campaign is running: {campaign}.", "Stop it first; one runs at a time."),
    "run_not_possible": Wording("The campaign cannot be run here: {why}.", "Use `outrider run` in a terminal."),
    # the shared store
    "acting_elsewhere": Wording(
        "“{device}” is acting now, and one device acts at a time.",
        "Let it finish, or take over: it hands over after the action in flight.",
    ),
    "authority_unreachable": Wording(
        "The shared store is out of reach: {detail}.",
        "Everything can be read and decided meanwhile; what is decided waits here and is sent when it is back.",
    ),
    "authority_schema": Wording(
        "The project's tables are not those that this Outrider needs: {detail}.",
        "Apply Outrider's migrations to the project, or install the newer Outrider.",
    ),
    "authority_refused": Wording(
        "The shared store refused what this device sent: {detail}.",
        "Nothing is lost. It is tried again; if it stays so, run `outrider log verify` and report it.",
    ),
    "device_revoked": Wording(
        "This device may not act any more: another device of yours took its access away.",
        "Detach the project here, and sign in again if that was a mistake.",
    ),
    "rehearsal_elsewhere": Wording(
        "This rehearsal was begun on another device, and its practice network with all its people is there.",
        "Go on with it there, or begin a new rehearsal here.",
    ),
    "project_of_another": Wording(
        "This workspace belongs to {email} in its project.", "Sign in as {email}, or detach the project first."
    ),
    "not_interactive": Wording(
        "Each text needs your approval, and there is no terminal to ask in.",
        "Run it in a terminal; a rehearsal can also be given --auto-approve.",
    ),
    "campaign_ambiguous": Wording(
        "{count} campaigns begin with {campaign}.", "Give more of its id; `outrider status` lists them all."
    ),
    "campaign_completed": Wording(
        "The campaign is completed and takes no more leads.", "Start a new campaign with this file."
    ),
    "campaign_in_error": Wording(
        "The campaign has stopped with an error: {reason}",
        "Look into it; then `outrider clear {campaign} --reason WHY` takes it out of the error.",
    ),
    "import_unfinished": Wording(
        "The import of {file} was cut off before its end.",
        "Repeat the command that began it, or `outrider import {campaign} FILE`; rows are merged, never doubled.",
    ),
    "not_a_rehearsal": Wording(
        "Only campaigns on the practice network run from the command line yet; this one is on {site}.",
        "Open it with `outrider app`.",
    ),
    "editor_failed": Wording(
        "The editor {editor} could not be used: {detail}.", "Set EDITOR to another one, or unset it and type the text."
    ),
    "unexpected": Wording(
        "Something went wrong that Outrider did not expect ({kind}).",
        "Nothing that was done is lost; run the command again. The details are in {file}; please report them.",
    ),
    "command_missing": Wording("This installation has no `outrider {command}`.", "Install the complete Outrider."),
}


class OutriderError(Exception):
    """An error with a stable `code`, a `sentence` and a `remedy`; `facts` fill the templates."""

    def __init__(self, code: str, /, **facts: object) -> None:
        wording = WORDING[code]
        self.code = code
        self.facts = facts
        self.sentence = wording.sentence.format_map(facts)
        self.remedy = wording.remedy.format_map(facts)
        super().__init__(f"{self.sentence} {self.remedy} [{code}]")
