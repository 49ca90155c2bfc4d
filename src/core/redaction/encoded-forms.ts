/**
 * Every way in which programs write a value on its way. A form that looks like the value itself is listed once. What
 * differs from another only in case, white space, escapes or the alphabet of base64 is left out where it is found all
 * the same (`src/core/redaction/fold-text.ts`).
 */
export function encodedForms(value: string): ReadonlySet<string> {
  const forms = new Set([value, ...numberForms(value)])
  // Most secrets are plain letters and digits, which only bytes can hide.
  if (!/^[A-Za-z0-9_.-]*$/.test(value)) for (const form of textForms(value)) forms.add(form)
  // Half a surrogate pair has no bytes of its own; nothing that was encoded can be told to be this value.
  if (!value.isWellFormed()) return forms
  for (const form of byteForms(value)) forms.add(form)
  return forms
}

/** The forms that still hold the characters of the value: in JSON, HTML and addresses. */
export function textForms(value: string): string[] {
  const forms = [value, ...jsonForms(value), ...htmlForms(value)]
  return value.isWellFormed() ? [...forms, ...urlForms(value)] : forms
}

/** A number keeps neither zeros in front nor all of its digits. */
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

/** In an address, in a strict address, and in a form; with capital and with small hex digits. */
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

/** In UTF-8 and in both orders of UTF-16, as hex digits and as base64. */
function byteForms(value: string): string[] {
  return [new TextEncoder().encode(value), utf16(value, 0), utf16(value, 1)].flatMap((bytes) => [
    toHex(bytes),
    ...[0, 1, 2].flatMap((before) => base64Parts(bytes, before)),
  ])
}

/** `first` is the place of the low byte in each pair. */
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
 * The characters of base64 that hold nothing but this value, when `before` bytes of something else come first. The
 * characters at its edges hold bits of its neighbours too; at the end there may be no neighbour, so the last one is
 * listed as well, with the padding and without.
 */
function base64Parts(bytes: Uint8Array, before: number): string[] {
  let text = '\u0000'.repeat(before)
  for (const byte of bytes) text += String.fromCharCode(byte)
  const all = btoa(text)
  const first = Math.ceil((before * 8) / 6)
  const whole = Math.floor(((before + bytes.length) * 8) / 6)
  return [all.slice(first, whole), all.slice(first).replace(/=+$/, ''), all.slice(first)]
}
