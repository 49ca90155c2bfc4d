/**
 * The encodings in which programs write a value: JSON, HTML, URLs, hex and base64. Duplicates are listed once. A form that
 * differs from another only in case, white space, escapes or base64 alphabet is omitted, because folding already makes them
 * equal (`src/core/redaction/fold-text.ts`).
 */
export function encodedForms(value: string): ReadonlySet<string> {
  const forms = new Set([value, ...numberForms(value)])
  // Most secrets are plain letters and digits: only byte encodings change them.
  if (!/^[A-Za-z0-9_.-]*$/.test(value)) for (const form of textForms(value)) forms.add(form)
  // An unpaired surrogate has no UTF-8 bytes, so no encoded text can be traced back to this value.
  if (!value.isWellFormed()) return forms
  // Hex and base64 hide the case. A value in one case (a hex key, a UUID, words) often means the same in the other; one in both does not.
  const written = spellings(value)
  for (const spelling of written.size < 3 ? written : [value]) for (const form of byteForms(spelling)) forms.add(form)
  return forms
}

/** The value as it is, in small letters and in capitals. */
export function spellings(value: string): ReadonlySet<string> {
  return new Set([value, value.toLowerCase(), value.toUpperCase()])
}

/** The forms that keep most characters of the value readable: JSON, HTML and URLs. */
export function textForms(value: string): string[] {
  const forms = [value, ...jsonForms(value), ...htmlForms(value)]
  return value.isWellFormed() ? [...forms, ...urlForms(value)] : forms
}

/** A JSON number loses leading zeros and digits beyond double precision. */
function numberForms(value: string): string[] {
  return /^-?\d{1,300}(?:\.\d{1,300})?$/.test(value) ? [String(Number(value))] : []
}

/** JSON as it is written by JavaScript, Python (\u for all but ASCII), PHP (\/) and Go (\u003c); and JSON in JSON. */
function jsonForms(value: string): string[] {
  const plain = JSON.stringify(value).slice(1, -1)
  const slashes = plain.replaceAll('/', '\\/')
  const lower = [plain, slashes].flatMap((form) => [
    form,
    escapeUnits(form, /[\x7f-\uffff]/g),
    escapeUnits(form, /[<>&\u2028\u2029]/g),
    escapeUnits(form, /[<>&'\x7f-\uffff]/g),
  ])
  const upper = lower.map((form) => form.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`))
  const nested = [plain, ...lower].map((form) => JSON.stringify(form).slice(1, -1))
  return [...lower, ...upper, ...nested]
}

function escapeUnits(text: string, units: RegExp): string {
  return text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function htmlForms(value: string): string[] {
  const base = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = base.replaceAll('"', '&quot;')
  return [base, quoted, ...['&#39;', '&#x27;', '&#039;', '&apos;'].map((code) => quoted.replaceAll("'", code))]
}

/** As `encodeURIComponent`, as RFC 3986 and as a form body; each with upper-case and lower-case hex digits. */
function urlForms(value: string): string[] {
  const encoded = encodeURIComponent(value)
  const strict = encoded.replace(/[!'()*]/g, percent)
  const form = encoded.replace(/[!'()~]/g, percent)
  const upper = [encoded, encodeURI(value), strict, form, form.replaceAll('%20', '+'), strict.replaceAll('%20', '+')]
  return [...upper, ...upper.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`
}

/** As UTF-8 and as UTF-16 in both byte orders, each in hex and base64. */
function byteForms(value: string): string[] {
  return [new TextEncoder().encode(value), utf16(value, 0), utf16(value, 1)].flatMap((bytes) => [
    toHex(bytes),
    ...[0, 1, 2].flatMap((before) => base64Parts(bytes, before)),
  ])
}

/** `first` is the index of the low byte in each pair. */
function utf16(value: string, first: 0 | 1): Uint8Array {
  const bytes = new Uint8Array(value.length * 2)
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at)
    bytes[at * 2 + first] = unit & 0xff
    bytes[at * 2 + 1 - first] = unit >> 8
  }
  return bytes
}

function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += byte < 16 ? `0${byte.toString(16)}` : byte.toString(16)
  return hex
}

/**
 * The base64 characters that encode only this value when `before` other bytes precede it. A character at either edge also
 * encodes bits of the adjacent bytes, so it is left out. At the end there may be no adjacent byte: the last character is
 * listed as well, with and without padding.
 */
function base64Parts(bytes: Uint8Array, before: number): string[] {
  let text = '\u0000'.repeat(before)
  for (const byte of bytes) text += String.fromCharCode(byte)
  const all = btoa(text)
  const first = Math.ceil((before * 8) / 6)
  const whole = Math.floor(((before + bytes.length) * 8) / 6)
  return [all.slice(first, whole), all.slice(first).replace(/(?<!=)=+$/, ''), all.slice(first)]
}
