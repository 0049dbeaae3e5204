"use strict";
// Checks the proof that this page carries, with nothing from elsewhere. docs/verify_proof.py checks the same in Python.

// ── Bytes and hashes ──

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Anything but what belongs here is damage. */
function expect(right) {
  if (!right) throw new Error("it is not what belongs there");
}

/** The bytes; a spelling that another program may read otherwise is none. */
function fromHex(text) {
  expect(/^(?:[0-9a-f]{2})*$/.test(text) && !text.endsWith("\n"));
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function fromBase64(text) {
  expect(isText(text) && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text));
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** The bytes of ASCII; any other letter would become the byte of one that is not there. */
function ascii(text) {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    expect(code < 0x80);
    bytes[at] = code;
  }
  return bytes;
}

/** UTF-8; half a surrogate pair becomes the three bytes that it would have alone, as Outrider hashes it. */
function utf8(text) {
  const bytes = [];
  for (const letter of text) {
    const code = letter.codePointAt(0);
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return Uint8Array.from(bytes);
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const MOST_DIGITS = 15, MOST_NESTED = 500, LAST_TIME = 253_402_300_799_999;
const isPlain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const isTime = (value) => typeof value === "number" && value >= 0 && value <= LAST_TIME;
const areTexts = (values) => Array.isArray(values) && values.every(isText);

/** What JSON says, if every program would read the same: `JSON.parse` takes the last of two fields of one name, and any number. */
function parsed(text, wholeOnly = false) {
  const value = JSON.parse(text), open = [];
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|-?[0-9][0-9.eE+-]*/g;
  let last = "";
  for (const [found] of text.matchAll(token)) {
    if (found === "{") open.push(new Set());
    else if (found === "[") open.push(null);
    else if (found === "}" || found === "]") open.pop();
    else if (found === ":") {
      const name = JSON.parse(last), names = open.at(-1);
      if (names.has(name)) throw new Error("a field is there twice");
      names.add(name);
    } else if (/^[-0-9]/.test(found)) {
      const isWhole = !/[.eE]/.test(found);
      expect(isWhole ? found.replace("-", "").length <= MOST_DIGITS : !wholeOnly && Number.isFinite(Number(found)));
    }
    expect(open.length <= MOST_NESTED);
    last = found;
  }
  return value;
}

const escaped = (text) => text.replace(/[\u007f-\uffff]/g, (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0"));

/** JSON in ASCII without blanks, as hashes and signatures are made of it. */
function canonical(value) {
  return escaped(JSON.stringify(value));
}

function primes(count) {
  const found = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime)) found.push(n);
  return found;
}

/** The first bits of the fraction of a root, exactly. */
function rootBits(n, power, bits) {
  const target = BigInt(n) << (BigInt(bits) * power);
  let low = 0n, high = 1n << BigInt(bits + 10);
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** power <= target) low = middle;
    else high = middle;
  }
  return low & ((1n << BigInt(bits)) - 1n);
}

const K256 = Uint32Array.from(primes(64), (n) => Number(rootBits(n, 3n, 32)));
const H256 = Uint32Array.from(primes(8), (n) => Number(rootBits(n, 2n, 32)));

function sha256(message) {
  const length = message.length, padded = new Uint8Array(((length + 72) >> 6) << 6);
  padded.set(message);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, length << 3);
  const state = H256.slice(), w = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
      const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K256[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] += value; });
  }
  const digest = new Uint8Array(32), out = new DataView(digest.buffer);
  state.forEach((value, i) => out.setUint32(4 * i, value));
  return digest;
}

const WORD = (1n << 64n) - 1n;
const K512 = primes(80).map((n) => rootBits(n, 3n, 64));
const H512 = primes(8).map((n) => rootBits(n, 2n, 64));
const turned = (x, n) => ((x >> n) | (x << (64n - n))) & WORD;

function sha512(message) {
  const length = message.length, padded = new Uint8Array(((length + 144) >> 7) << 7);
  padded.set(message);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(length) * 8n);
  let state = H512;
  for (let at = 0; at < padded.length; at += 128) {
    const w = [];
    for (let i = 0; i < 16; i++) w.push(view.getBigUint64(at + 8 * i));
    for (let i = 16; i < 80; i++) {
      const s0 = turned(w[i - 15], 1n) ^ turned(w[i - 15], 8n) ^ (w[i - 15] >> 7n);
      const s1 = turned(w[i - 2], 19n) ^ turned(w[i - 2], 61n) ^ (w[i - 2] >> 6n);
      w.push((w[i - 16] + s0 + w[i - 7] + s1) & WORD);
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 80; i++) {
      const s1 = turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n);
      const t1 = h + s1 + ((e & f) ^ (~e & WORD & g)) + K512[i] + w[i];
      const s0 = turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n);
      const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g; g = f; f = e; e = (d + t1) & WORD; d = c; c = b; b = a; a = (t1 + t2) & WORD;
    }
    state = [a, b, c, d, e, f, g, h].map((value, i) => (value + state[i]) & WORD);
  }
  return fromHex(state.map((value) => value.toString(16).padStart(16, "0")).join(""));
}

// ── Ed25519, for browsers that have none (RFC 8032) ──

const P = (1n << 255n) - 19n;
const L = (1n << 252n) + 27742317777372353535851937790883648493n;
const mod = (x, m = P) => ((x % m) + m) % m;

function power(base, exponent) {
  let result = 1n;
  for (base = mod(base); exponent; exponent >>= 1n, base = mod(base * base)) if (exponent & 1n) result = mod(result * base);
  return result;
}

const D = mod(-121665n * power(121666n, P - 2n));
const ROOT = power(2n, (P - 1n) / 4n);
const little = (bytes) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

function added([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = mod((y1 - x1) * (y2 - x2)), b = mod((y1 + x1) * (y2 + x2)), c = mod(2n * t1 * t2 * D), d = mod(2n * z1 * z2);
  const e = b - a, f = d - c, g = d + c, h = b + a;
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

function times(point, n) {
  let sum = [0n, 1n, 1n, 0n];
  for (; n; n >>= 1n, point = added(point, point)) if (n & 1n) sum = added(sum, point);
  return sum;
}

function pointOf(bytes) {
  const sign = bytes[31] >> 7, y = little(bytes) & ((1n << 255n) - 1n);
  if (y >= P) return null;
  const square = mod((y * y - 1n) * power(D * y * y + 1n, P - 2n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x - square)) x = mod(x * ROOT);
  if (mod(x * x - square) || (x === 0n && sign)) return null;
  if (Number(x & 1n) !== sign) x = P - x;
  return [x, y, 1n, mod(x * y)];
}

const BASE = pointOf(fromHex("58" + "66".repeat(31)));

function plainVerify(key, message, signature) {
  const a = pointOf(key), r = pointOf(signature.slice(0, 32)), s = little(signature.slice(32));
  if (!a || !r || s >= L) return false;
  const k = mod(little(sha512(joined(signature.slice(0, 32), key, message))), L);
  const [x1, y1, z1] = times(BASE, s), [x2, y2, z2] = added(r, times(a, k));
  return mod(x1 * z2 - x2 * z1) === 0n && mod(y1 * z2 - y2 * z1) === 0n;
}

async function verified(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  try {
    const known = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, known, signature, message);
  } catch {
    return plainVerify(key, message, signature);
  }
}

// ── The logs ──

const NEEDED = new Set([
  "CampaignCreated", "CampaignEdited", "ApprovalGiven", "ApprovalUsed", "ApprovalReopened", "ApprovalExpired",
  "ApprovalRevoked", "ActionIntended", "ActionHandedOver", "ActionSettled", "ActionConfirmed", "MessageSent", "LeadBlocked",
  "LeadUnblocked", "EntriesErased", "SigningKeyIntroduced",
]);

const WORKSPACE = "workspace";

/** In canonical JSON: a word, or what stands between two words. */
const PIECE = /((?:\(erased\)|\\+u[0-9a-f]{4}|[^\] "(),;<>[{}|:\\])+)|((?:\\\\)*\\"|\\+[nrtbf]|(?:\\\\)+|[\] "(),;<>[{}|:\\])/g;
const KEYS = new Set(["member_key", "artifact_key", "given_key"]);
const SUBSTITUTE = /^(?:erased-|deleted-|forgotten:)/;
/** The order of two texts by their code points, not by the halves of surrogate pairs. */
function inOrder(one, other) {
  const [mine, theirs] = [Array.from(one, (letter) => letter.codePointAt(0)), Array.from(other, (letter) => letter.codePointAt(0))];
  const at = mine.findIndex((code, n) => code !== theirs[n]);
  return at < 0 || at >= theirs.length ? mine.length - theirs.length : mine[at] - theirs[at];
}

const smaller = (one, other, rank) => {
  const [mine, theirs] = [one, other].map((value) => (isText(value) ? value : value === null ? "None" : String(value)));
  const order = rank(mine) - rank(theirs) || Array.from(mine).length - Array.from(theirs).length || inOrder(mine, theirs);
  return order <= 0 ? one : other;
};

/** A payload as the log spells it. */
function spelled(value) {
  if (Array.isArray(value)) return `[${value.map(spelled).join(",")}]`;
  if (value === null || typeof value !== "object") return canonical(value);
  return `{${Object.keys(value).sort(inOrder).map((name) => `${canonical(name)}:${spelled(value[name])}`).join(",")}}`;
}

/** What remains of a payload of which two erasures left these: of each field no more than both left. */
function lesser(one, other) {
  if (one === other) return one;
  let mark = 0xe000; // a letter that neither has: with it, a number keeps its spelling, since 1.0 is 1 to `JSON.parse`
  while ([one, other].some((text) => text.includes(canonical(String.fromCharCode(mark)).slice(1, -1)))) mark++;
  const sign = canonical(String.fromCharCode(mark)).slice(1, -1);
  const marked = (text) => JSON.parse(text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g, (found) => (found[0] === '"' ? found : `"${sign}${found}"`)));
  const unmarked = (text) => text.replaceAll(new RegExp(`"\\\\${sign.slice(1)}([^"]*)"`, "g"), "$1");
  const mine = marked(one), theirs = marked(other);
  const both = Object.keys(mine).filter((name) => Object.hasOwn(theirs, name));
  const field = (name) => `${canonical(name)}:${lesserField(name, unmarked(spelled(mine[name])), unmarked(spelled(theirs[name])), marked, unmarked)}`;
  return `{${both.sort(inOrder).map(field).join(",")}}`;
}

/** Of two values, as they are spelled. */
function lesserField(name, one, other, marked, unmarked) {
  if (KEYS.has(name)) return spelled(smaller(JSON.parse(one), JSON.parse(other), (key) => (SUBSTITUTE.test(key) ? 0 : 1)));
  return unmarked(spelled(marked(lesserValue(one, other))));
}

/** Word by word if they only differ in words; else the simpler of both, and nothing of an object or a list. */
function lesserValue(one, other) {
  const [mine, theirs] = [one, other].map((value) => [...value.matchAll(PIECE)]);
  const [shape, otherShape] = [mine, theirs].map((pieces) => pieces.map(([, , between]) => between ?? "w").join(""));
  if (shape !== otherShape) {
    const simpler = smaller(shape, otherShape, () => 0) === shape ? one : other;
    return { "{": "{}", "[": "[]" }[simpler[0]] ?? simpler;
  }
  let quoted = false;
  return mine.map(([, word, between], n) => {
    const otherWord = theirs[n][1];
    if (between === '"') quoted = !quoted;
    if (between !== undefined || word === otherWord) return between ?? word;
    return quoted ? "(erased)" : smaller(word, otherWord, (found) => (found === "null" ? 0 : 1));
  }).join("");
}

/** What an erasure may leave of each field of the events that are read here, and whether every event of the kind has it. */
const REMAINS = "{rules_of_remains}";
const READ = new Set([...NEEDED, "MessageDrafted", "MessageEdited", "DoNotContactAdded", "DoNotContactRemoved"]);
const STATES = new Set("{states}");
const SIZES = new Set(["bytes", "in_file"]);
const isGone = (value) => value === null || ["", "(erased)", "{}", "[]"].includes(value) || (typeof value === "object" && !Object.keys(value).length);
const isNumber = (value) => typeof value === "number" || typeof value === "boolean";

/** Whether an erasure may leave this of a field, by its rule; a list is the values that it may have. */
function fits(rule, value) {
  if (Array.isArray(rule)) return rule.includes(value);
  if (rule === "number") return value === null || isNumber(value);
  if (rule === "kept") return value === null || typeof value === "string" || Array.isArray(value);
  if (rule === "gone" || (rule === "limits" && isGone(value))) return isGone(value);
  if (rule === "key") return typeof value === "string" && (value === "" || SUBSTITUTE.test(value));
  if (rule === "despite") {
    const codes = isPlain(value) ? value.despite ?? [] : null;
    return Array.isArray(codes) && Object.keys(value).every((name) => name === "despite") && codes.every((code) => typeof code === "string" && /^[a-z_]+$/.test(code));
  }
  if (rule === "limits") {
    const settings = typeof value === "string" ? parsed(value) : null;
    const limits = isPlain(settings) && Object.keys(settings).join() === "limits" ? settings.limits : null;
    return isPlain(limits) && Object.values(limits).every((one) => typeof one !== "string" && !isPlain(one));
  }
  return rule === "words";
}

/** Whether this may be what an erasure left of an event of a kind that is read here. */
function mayRemain(kind, payload) {
  const rules = Object.hasOwn(REMAINS, kind) ? REMAINS[kind] : null, left = parsed(payload);
  if (!rules || !isPlain(left)) return false;
  const whole = Object.entries(rules).every(([name, [required]]) => !required || Object.hasOwn(left, name));
  return whole && Object.entries(left).every(([name, value]) => Object.hasOwn(rules, name) && fits(rules[name][1], value));
}

/** Whether two erasures that say what is left of one entry agree on its numbers and states. */
function sameStates(one, other) {
  const mine = parsed(one), theirs = parsed(other);
  return Object.keys(mine).every((name) => !Object.hasOwn(theirs, name) || spelled(mine[name]) === spelled(theirs[name])
    || !(STATES.has(name) || (isNumber(mine[name]) && !SIZES.has(name))));
}

const TYPES = {
  text: isText,
  words: isText, // of which an erasure leaves none
  time: isTime,
  outcome: (value) => ["sent", "not_sent", "outcome_unknown"].includes(value),
  settings: (value) => isText(value) || isPlain(value),
  params: (value) => isPlain(value) && ["name", "profile_url"].every((name) => value[name] === undefined || isText(value[name])) && (value.despite === undefined || areTexts(value.despite)),
  pieces: (value) => Array.isArray(value) && value.every((piece) => isPlain(piece) && ["kind", "sha256", "file", "quote"].every((name) => isText(piece[name]))),
  texts: (value) => isPlain(value) && areTexts(Object.values(value)),
};

/** As what an act counts, by the kind of its text. */
const FAMILIES = new Map([["invitation", "invite"], ["message", "message"]]);

/** What is read of each kind of event, and as what; with a question mark, it may be missing. */
const INTENT = { message_id: "text?", lead_id: "text?", approval_id: "text?", family: "text", intended_at: "time", params: "params" };
const FIELDS = {
  CampaignCreated: { name: "words", site: "text", settings: "settings" },
  CampaignEdited: { name: "words?", site: "text?", settings: "settings?" },
  MessageDrafted: { lead_id: "text", step: "text", kind: "text", text: "words" },
  MessageEdited: { text: "words" },
  ApprovalGiven: { message_id: "text", digest: "words", given_by: "text", expires_at: "time" },
  ActionIntended: INTENT,
  ActionHandedOver: INTENT,
  ActionSettled: { status: "outcome", settled_at: "time", evidence: "pieces?" },
  ActionConfirmed: { evidence: "pieces" },
  MessageSent: { evidence: "pieces?" },
  LeadBlocked: { blocked: "text" },
  EntriesErased: { entries: "texts" },
  SigningKeyIntroduced: { device_id: "text", public_key: "text", previous: "text", endorsement: "text" },
};

/** What the event says, of which every program would make the same. */
function wordsOf(kind, payload, erased) {
  const said = parsed(payload);
  expect(isPlain(said));
  for (const [name, rule] of Object.entries(Object.hasOwn(FIELDS, kind) ? FIELDS[kind] : {})) {
    const value = Object.hasOwn(said, name) ? said[name] : null, type = rule.replace("?", "");
    const missing = value === null && rule !== type;
    const taken = erased && ["words", "settings", "pieces"].includes(type) && isGone(value);
    expect(missing || taken || TYPES[type](value));
  }
  return said;
}

/** Whether an act writes to somebody: only an invitation is taken back without a text. */
const writes = (intent) => Boolean(intent.message_id) || intent.family !== "withdraw";

/** A campaign's limits, each of them a number. */
function limitsOf(settings) {
  const { limits } = isText(settings) ? parsed(settings) : settings;
  expect(["invitations_a_week", "invitations_a_day", "messages_a_day"].every((name) => typeof limits[name] === "number"));
  return limits;
}

/** What was seen, as far as an erasure left it. */
const piecesOf = (said) => (Array.isArray(said.evidence) ? said.evidence : []);

/** An entry's metadata, hash, salt, payload and digest: whole, in part or erased, as Outrider writes them. */
function asWritten(entry, length) {
  expect(Array.isArray(entry) && entry.length === length + 4);
  const metadata = entry.slice(0, length), [hash, salt, payload, digest] = entry.slice(length);
  expect(Number.isInteger(metadata[0]) && Number.isInteger(metadata[1]) && isTime(metadata[1]));
  expect([...metadata.slice(2), salt, payload, digest].every((value) => value === null || isText(value)) && isText(hash));
  expect((salt === null) === (digest !== null) && (payload !== null || salt === null));
  return { metadata, hash, salt, payload, digest };
}

/** What is checked against an event of each kind that may be erased. */
const WORDED = "approved as worded", ONCE = "sent once", LIMITED = "within the limits", CONTACTABLE = "to nobody who had opted out", OUTCOME = "the outcome";
const RESTING = {
  CampaignCreated: [LIMITED], CampaignEdited: [LIMITED], MessageDrafted: [WORDED], MessageEdited: [WORDED], ApprovalGiven: [WORDED],
  ActionIntended: [WORDED, ONCE, LIMITED, CONTACTABLE], ActionHandedOver: [WORDED, ONCE, LIMITED, CONTACTABLE],
  ActionSettled: [ONCE, LIMITED, OUTCOME], ActionConfirmed: [OUTCOME], MessageSent: [ONCE, OUTCOME],
};

function place(log, seq, stream) {
  return `${log === "audits" ? "audit entry" : "event"} ${seq} of the ${stream === WORKSPACE ? "workspace" : "campaign"}`;
}

/** The first of so many places, in order, from which on something holds. */
function firstAt(count, holds) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

class Proof {
  constructor(text, seal) {
    this.text = text;
    this.seal = seal;
    this.problems = [];
    this.messages = [];
    this.counts = { entries: 0, withheld: 0, erased: 0, signatures: 0 };
    this.keys = new Map();
    this.devices = new Set();
    this.inTime = new Map(); // the acts of each family, by when they were begun
    this.unread = 0; // entries of the do-not-contact list that were in force, and about whom this file does not say
    this.resting = new Map(); // what was checked against the remains of erased events, and their numbers
    this.where = "the file"; // what is being looked at
  }

  problem(where, what) {
    this.problems.push({ where, what });
  }

  /** Finds what does not hold; a part that is not as Outrider writes it is a problem like any other. */
  async check() {
    try {
      await this.hold();
    } catch {
      this.problem(this.where, "it is damaged: a part of it is missing, or is not what belongs there");
    }
  }

  async hold() {
    expect(/^[\x00-;=-\x7f]*$/.test(this.text)); // ASCII without "<", as Outrider writes it
    const data = parsed(this.text, true);
    this.seal = parsed(this.seal);
    expect(isPlain(data) && isPlain(this.seal));
    if (data.format !== "outrider-proof 1") return this.problem("the file", "it is of a format that is not known here");
    expect(isText(data.campaign) && isTime(data.made_at) && isPlain(data.evidence));
    expect(isPlain(data.opted_out) && Array.isArray(data.signatures) && Object.values(data.opted_out).every(areTexts));
    this.data = data;
    for (const stream of [WORKSPACE, data.campaign]) this.chain(stream);
    this.where = "the file";
    await this.signatures();
    if (!this.problems.length) this.follow();
    this.where = "the file";
    this.evidence();
    await this.whole();
  }

  /** Each entry's hash follows from the entry before it; a payload that is withheld is known by its digest. */
  chain(stream) {
    const logs = this.data.streams[stream];
    const left = new Map();
    expect(Array.isArray(logs.events) && Array.isArray(logs.audits));
    for (const [at, entry] of logs.events.entries()) {
      this.where = place("events", at + 1, stream);
      const { metadata: [, , kind], salt, payload } = asWritten(entry, 7);
      if (kind !== "EntriesErased" || salt === null) continue; // one that is erased itself names nothing
      for (const [digest, remains] of Object.entries(wordsOf(kind, payload, false).entries)) {
        expect(isPlain(parsed(remains)));
        if (!sameStates(left.get(digest) ?? remains, remains)) this.problem(place("events", entry[0], stream), "it says otherwise than an erasure before what is left");
        left.set(digest, lesser(left.get(digest) ?? remains, remains));
      }
    }
    for (const log of ["events", "audits"]) {
      let before = new Uint8Array(32), number = 0;
      for (const entry of logs[log]) {
        const where = (this.where = place(log, ++number, stream));
        const { metadata: [seq, timestamp, ...metadata], hash, salt, payload, digest } = asWritten(entry, log === "events" ? 7 : 5);
        if (seq !== number) return this.problem(where, "it is missing");
        if (payload !== null && digest !== null && left.get(digest) !== payload) return this.problem(where, "its words are gone, and no erasure says that this is left of it");
        if (payload === null && log === "events" && NEEDED.has(metadata[0])) return this.problem(where, "it is withheld, and the proof needs it");
        const erased = payload !== null && digest !== null;
        if (erased && log === "events" && READ.has(metadata[0]) && !mayRemain(metadata[0], payload)) return this.problem(where, "its words are gone, and what is left is not what an erasure leaves");
        const known = digest === null ? sha256(joined(fromHex(salt), ascii(payload))) : fromHex(digest);
        const found = sha256(joined(before, known, ascii(canonical([stream, seq, timestamp, ...metadata]))));
        if (hex(found) !== hash) return this.problem(where, "it is not what was written after the entry before it");
        before = found;
        this.counts.entries++;
        if (digest !== null) this.counts[payload === null ? "withheld" : "erased"]++;
      }
    }
  }

  async signatures() {
    for (const entry of this.data.streams[WORKSPACE].events) {
      const [seq, , kind, , id, , , , , payload] = entry;
      if (kind !== "SigningKeyIntroduced" || payload === null) continue;
      const where = (this.where = place("events", seq, WORKSPACE));
      const said = wordsOf(kind, payload, false), key = fromHex(said.public_key);
      if (hex(sha256(key)).slice(0, 32) !== id) this.problem(where, "the key's id is not that of the key");
      const earlier = this.keys.get(said.previous);
      const message = ascii("outrider next key 1\n" + canonical([said.device_id, said.public_key]));
      if (earlier && !(await verified(earlier, message, fromHex(said.endorsement)))) this.problem(where, "the key before it did not sign for it");
      this.keys.set(id, key);
      this.devices.add(said.device_id);
    }
    for (const stream of [WORKSPACE, this.data.campaign]) {
      const { events, audits } = this.data.streams[stream];
      const ends = [events.length, audits.length];
      let covered = events.length + audits.length === 0;
      for (const heads of this.data.signatures) {
        expect(Array.isArray(heads) && heads.length === 8);
        if (heads[0] !== stream) continue;
        expect([1, 3, 6].every((at) => Number.isInteger(heads[at]) && heads[at] >= 0) && areTexts([0, 2, 4, 5, 7].map((at) => heads[at])));
        const [, eventSeq, eventHash, auditSeq, auditHash, keyId, , signature] = heads;
        const where = `the signature of ${place("events", eventSeq, stream)} and audit entry ${auditSeq}`;
        const key = this.keys.get(keyId);
        const message = ascii("outrider log heads 1\n" + canonical(heads.slice(0, 7)));
        if (!key) this.problem(where, `no entry introduces its key ${keyId}`);
        else if (!(await verified(key, message, fromHex(signature)))) this.problem(where, "it is not what its key signed");
        else if (eventSeq && events[eventSeq - 1]?.[7] !== eventHash) this.problem(where, `event ${eventSeq} is not the one that was signed`);
        else if (auditSeq && audits[auditSeq - 1]?.[5] !== auditHash) this.problem(where, `audit entry ${auditSeq} is not the one that was signed`);
        else {
          covered ||= eventSeq === ends[0] && auditSeq === ends[1];
          this.counts.signatures++;
        }
      }
      if (!covered) this.problem(place("events", ends[0], stream), "no signature covers the end of the log");
    }
  }

  /** Goes through the campaign as it happened, and holds every act to the rules. */
  follow() {
    const campaign = this.data.campaign;
    const state = { limits: null, site: "" };
    const texts = new Map(), approvals = new Map(), actions = new Map(), blocked = new Map(), actsOf = new Map(), actsOfStep = new Map();
    this.readOptOuts();
    for (const [seq, timestamp, kind, , id, , , , salt, payload] of this.data.streams[campaign].events) {
      if (payload === null) {
        if (kind === "MessageEdited" && texts.has(id)) this.problem(place("events", seq, campaign), "it is withheld, and the proof needs it");
        continue;
      }
      if (!READ.has(kind)) continue;
      const erased = salt === null; // whether it was worded so, nobody can tell any more
      const where = (this.where = place("events", seq, campaign));
      const said = wordsOf(kind, payload, erased);
      if (erased) for (const check of Object.hasOwn(RESTING, kind) ? RESTING[kind] : []) this.resting.set(check, this.resting.get(check) ?? []).get(check).push(seq);
      if (kind === "CampaignCreated" || kind === "CampaignEdited") {
        if ((said.settings ?? null) !== null) state.limits = limitsOf(said.settings);
        state.site = said.site || state.site;
        this.name = said.name ?? this.name;
      } else if (kind === "MessageDrafted") texts.set(id, { lead: said.lead_id, step: said.step, kind: said.kind, text: said.text, sent: 0, erased });
      else if (kind === "MessageEdited") Object.assign(texts.get(id), { text: said.text, erased });
      else if (kind === "ApprovalGiven") approvals.set(id, { ...said, at: timestamp, status: "open", erased });
      else if (kind === "ApprovalReopened") approvals.get(id).status = "open";
      else if (kind === "ApprovalUsed") approvals.get(id).status = "used";
      else if (kind === "ApprovalExpired") approvals.get(id).status = "expired";
      else if (kind === "ApprovalRevoked") approvals.get(id).status = "revoked";
      else if (kind === "LeadBlocked") blocked.set(id, said.blocked);
      else if (kind === "LeadUnblocked") blocked.delete(id);
      else if ((kind === "ActionIntended" || kind === "ActionHandedOver") && writes(said)) {
        const approval = approvals.get(said.approval_id), message = texts.get(said.message_id);
        const act = { id, at: said.intended_at, family: said.family, despite: (kind === "ActionHandedOver" && said.params.despite) || [], status: "intended", evidence: [], message: said.message_id, where };
        if (!message) this.problem(where, "there is no such text");
        else {
          const hidden = erased || message.erased || approval?.erased, text = hidden ? "(erased)" : message.text;
          const parts = [campaign, state.site, message.step, message.kind, said.params.profile_url ?? "", text].join("\0");
          if (!approval || approval.message_id !== said.message_id) this.problem(where, "nobody approved this text");
          else if (!hidden && approval.digest !== hex(sha256(utf8(parts)))) this.problem(where, "it was not approved as it is worded");
          else if (approval.status !== "open") this.problem(where, `its approval was ${approval.status}`);
          else if (said.intended_at >= approval.expires_at) this.problem(where, "its approval had expired");
          const step = JSON.stringify([message.lead, message.step]), earlier = actsOfStep.get(step) ?? [];
          if ((actsOf.get(said.message_id) ?? []).some((one) => one.status !== "not_sent")) this.problem(where, "this text was sent, or may have been, before");
          else if (earlier.some((one) => one.status !== "not_sent")) this.problem(where, "another text of this step was sent to this person, or may have been, before");
          actsOfStep.set(step, [...earlier, act]);
          if ((said.lead_id ?? null) !== message.lead) this.problem(where, "its text was for somebody else");
          if (said.family !== FAMILIES.get(message.kind)) this.problem(where, "it does not count as what its text is");
          if (approval) approval.status = "used"; // whether or not the log says so
          this.messages.push({ act, person: said.params.name ?? "(erased)", url: said.params.profile_url ?? "", text, kind: message.kind, approved: approval?.at, by: approval?.given_by });
        }
        if (blocked.get(said.lead_id) === "do_not_contact") this.problem(where, "this person was not to be contacted");
        if (state.site !== "practice") this.unread = Math.max(this.unread, this.listed(said.intended_at));
        if (state.site !== "practice" && this.optedOut(said.lead_id, said.intended_at)) this.problem(where, "this person was on the do-not-contact list");
        actsOf.set(said.message_id, [...(actsOf.get(said.message_id) ?? []), act]);
        actions.set(id, act);
        this.withinLimits(act, state.limits);
      } else if (kind === "ActionSettled") {
        const act = actions.get(id);
        if (!act) continue;
        if (act.status === "sent") this.problem(where, "it changes an outcome that was known");
        Object.assign(act, { status: said.status, settled: said.settled_at, evidence: piecesOf(said) });
      } else if (kind === "ActionConfirmed") {
        const act = actions.get(id);
        if (!act) continue;
        Object.assign(act, { confirmed: timestamp, evidence: piecesOf(said) });
        if (act.status !== "sent") this.problem(where, "it confirms what was not sent");
      } else if (kind === "MessageSent") {
        const message = texts.get(id);
        const act = (actsOf.get(id) ?? []).find((one) => one.status === "sent");
        if (!message || !act) this.problem(where, "it was sent without an act that is on record");
        else if (++message.sent > 1) this.problem(where, "it was sent twice");
        else if (piecesOf(said).length) act.evidence = said.evidence;
      }
    }
  }

  /** The do-not-contact list as it grew, once for all acts. */
  readOptOuts() {
    const several = this.devices.size > 1, ids = new Set();
    this.optOuts = this.data.streams[WORKSPACE].events.filter(([, , kind]) => kind === "DoNotContactAdded" || kind === "DoNotContactRemoved");
    this.inForce = [0];
    this.inOrder = this.optOuts.every(([, time], n) => !n || this.optOuts[n - 1][1] <= time);
    this.optOutsOf = new Map();
    for (const entry of this.optOuts) {
      const [, , kind, , id, , , , , payload] = entry;
      if (kind === "DoNotContactAdded") ids.add(id);
      else if (!several) ids.delete(id);
      this.inForce.push(ids.size);
      const leads = payload !== null && Object.hasOwn(this.data.opted_out, id) ? this.data.opted_out[id] : [];
      for (const lead of leads) this.optOutsOf.set(lead, this.optOutsOf.get(lead) ?? []).get(lead).push(entry);
    }
  }

  /** How many entries of the do-not-contact list were in force, whoever they mean; with several devices, all are. */
  listed(at) {
    if (this.devices.size > 1) return this.inForce.at(-1);
    if (this.inOrder) return this.inForce[firstAt(this.optOuts.length, (n) => this.optOuts[n][1] >= at)];
    const ids = new Set(); // a clock went back
    for (const [, time, kind, , id] of this.optOuts) {
      if (time < at && kind === "DoNotContactAdded") ids.add(id);
      else if (time < at) ids.delete(id);
    }
    return ids.size;
  }

  optedOut(lead, at) {
    if (this.devices.size > 1) return false; // another device's entry may have come after the act, whatever its clock says
    let listed = false;
    for (const [, time, kind] of this.optOutsOf.get(lead) ?? []) if (time < at) listed = kind === "DoNotContactAdded";
    return listed;
  }

  /** Only the user's own hand may go beyond a limit, knowing it. The day's limit holds if there is a time zone in which no day has more; the week's is seven days before each act. */
  withinLimits(act, limits) {
    const DAY = 86_400_000, alike = this.inTime.get(act.family) ?? [];
    this.inTime.set(act.family, alike);
    alike.splice(firstAt(alike.length, (n) => alike[n].at > act.at), 0, act);
    const count = (ms) => alike.slice(firstAt(alike.length, (n) => alike[n].at > act.at - ms)).filter((one) => one.status !== "not_sent");
    const most = act.family === "invite" ? limits.invitations_a_day : limits.messages_a_day;
    if (act.family === "invite" && count(7 * DAY).length > limits.invitations_a_week && !act.despite.includes("weekly_limit")) this.problem(act.where, "the week's limit was used up");
    const near = count(2 * DAY);
    const fits = (offset) => near.filter((one) => Math.floor((one.at + offset) / DAY) === Math.floor((act.at + offset) / DAY)).length <= most;
    if (near.length > most && !act.despite.includes("daily_limit") && !Array.from({ length: 105 }, (_, n) => (n - 48) * 900_000).some(fits)) this.problem(act.where, "the day's limit was used up");
  }

  evidence() {
    for (const [file, content] of Object.entries(this.data.evidence)) {
      if (!file.includes(hex(sha256(fromBase64(content))))) this.problem(`the evidence ${file}`, "it is not what was kept");
    }
  }

  /** The file as a whole is signed when it is made, so that nothing in it can be changed, not even what no entry holds. */
  async whole() {
    const key = this.keys.get(this.seal.key);
    const message = ascii("outrider proof 1\n" + hex(sha256(ascii(this.text))));
    if (!key || !(await verified(key, message, fromHex(this.seal.signature)))) this.problem("the file", "it was changed after it was made");
  }
}

// ── What is shown ──

const HIDDEN = new RegExp(String.raw`{hidden_characters}`, "gu");

/** A word of the file with the code point in place of everything that hides, or turns the words around it. */
function revealed(text) {
  return String(text).replace(HIDDEN, (run, hidden) => {
    if (hidden === undefined) return run;
    const point = hidden.codePointAt(0).toString(16).toUpperCase().padStart(4, "0"), count = run.length / hidden.length;
    return `[U+${point}${count > 1 ? ` x${count}` : ""}]`;
  });
}

function element(tag, text, parent, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = revealed(text);
  if (name) made.className = name;
  parent?.append(made);
  return made;
}

const when = (ms) => (ms !== undefined && ms !== null ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "–");
const fingerprint = (key) => key.slice(0, 20).match(/.{4}/g).join(" ");
const EVIDENCE = { user_word: "reported by the user:", linkedin_export: "LinkedIn's export shows it" };
const OUTCOMES = { sent: "sent", not_sent: "not sent", outcome_unknown: "nobody knows whether it was sent", intended: "begun" };

function showMessage({ act, person, url, text, kind, approved, by }, data, list) {
  const item = element("li", undefined, list, act.status === "sent" ? "sent" : "unsent");
  const head = element("div", undefined, item, "head");
  element("strong", person, head);
  element("span", `${kind}, ${OUTCOMES[act.status] ?? act.status}`, head, "outcome");
  element("div", url, item, "address");
  element("blockquote", text, item);
  const facts = element("dl", undefined, item);
  for (const [name, value] of [["Approved", `${when(approved)}${by ? `, by ${by}` : ""}`], ["Started", when(act.at)], ["Outcome recorded", when(act.settled)], ...(act.confirmed ? [["Confirmed", `by LinkedIn's export, read ${when(act.confirmed)}`]] : []), ["Log entry", act.where]]) {
    element("dt", name, facts);
    element("dd", value, facts);
  }
  for (const piece of act.evidence) {
    const content = Object.hasOwn(data.evidence, piece.file) ? data.evidence[piece.file] : "";
    if (content && piece.file.endsWith(".png")) {
      const shown = element("details", undefined, item);
      element("summary", `Evidence: ${piece.kind}`, shown);
      const image = element("img", undefined, shown);
      image.alt = revealed(`What was seen: ${piece.quote || piece.kind}`);
      image.src = `data:image/png;base64,${content}`;
    } else {
      const quote = piece.quote ? ` “${piece.quote}”` : "";
      const file = piece.sha256 ? `; the file ${content ? "is" : "is not"} in this page (SHA-256 ${piece.sha256.slice(0, 16)}…)` : "";
      element("p", `Evidence: ${EVIDENCE[piece.kind] ?? piece.kind}${quote}${file}`, item, "note");
    }
  }
}

/** Everything but the verdict. */
function report(proof) {
  const shown = document.createDocumentFragment(), facts = element("dl", undefined, shown);
  const { counts, data, messages } = proof;
  const rows = [
    ["Campaign", proof.name ?? data.campaign],
    ["Made", when(data.made_at)],
    ["Signed by key", proof.seal.key ? fingerprint(proof.seal.key) : "–"],
    ["Log entries", `${counts.entries}; ${counts.withheld} of them as digests only, because they do not concern these messages`],
    ["Erased", counts.erased ? `${counts.erased} entries: their words were erased on a person's request` : "none"],
    ["Signatures", `${counts.signatures} of where the logs end`],
  ];
  for (const [name, value] of rows) {
    element("dt", name, facts);
    element("dd", value, facts);
  }
  const list = document.createDocumentFragment();
  if (!proof.problems.length) messages.forEach((message) => showMessage(message, data, list));
  return [shown, list];
}

async function main() {
  const [text, seal] = ["proof", "seal"].map((name) => document.querySelectorAll(`[id="${name}"]`));
  const proof = new Proof(text[0]?.textContent ?? "", seal[0]?.textContent ?? "");
  for (const [name, blocks] of [["proof", text], ["seal", seal]]) if (blocks.length !== 1 || blocks[0].tagName !== "SCRIPT") proof.problem("the file", `it has ${blocks.length > 1 ? "more than one" : "no"} block ${name}`);
  await proof.check();
  let shown = [];
  try {
    if (proof.data) shown = report(proof);
  } catch {
    proof.problem("the file", "it is damaged: what it says of its messages is not what belongs there");
  }
  const { problems, messages } = proof, good = problems.length === 0;
  const verdict = document.getElementById("verdict");
  verdict.className = good ? "good" : "bad";
  verdict.replaceChildren();
  const sent = messages.filter(({ act }) => act.status === "sent").length;
  element("h1", good ? "Verified" : "Not verified", verdict);
  element("p", good
    ? `Nothing in this file was changed. ${sent} ${sent === 1 ? "message was" : "messages were"} sent: each approved as worded, sent once, within its limits, ${proof.unread ? "and to nobody whom the campaign had blocked" : "to nobody who had opted out"}.`
    : "Something in this file does not hold. Do not rely on it.", verdict);
  if (good && proof.unread) element("p", `Not shown: whether anybody written to was on the do-not-contact list; ${proof.unread} of its entries are withheld.`, verdict);
  if (good) for (const [check, entries] of proof.resting) element("p", `Rests on what erasures left of entries, whose words nobody can compare: ${check} (event ${entries.join(", ")}).`, verdict);
  if (!good) {
    const list = element("ul", undefined, verdict);
    problems.forEach(({ where, what }) => element("li", `${where[0].toUpperCase()}${where.slice(1)}: ${what}.`, list));
  }
  if (!shown.length) return;
  document.getElementById("about").append(shown[0]);
  document.getElementById("messages").append(shown[1]);
  document.getElementById("heading").hidden = !good;
  document.getElementById("none").hidden = !good || messages.length > 0;
}

main();
