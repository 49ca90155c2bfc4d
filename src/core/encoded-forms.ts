/**
 * Every way in which a value may stand in a text: as it is, and as programs write it on its way. A form that looks
 * like the value itself is listed once.
 */
export function encodedForms(value: string): ReadonlySet<string> {
  // Most secrets are plain letters and digits, which only bytes can hide.
  if (/^[A-Za-z0-9_.-]*$/.test(value)) return new Set([value, ...byteForms(value)])
  const forms = new Set([value, ...jsonForms(value), ...htmlForms(value)])
  // Half a surrogate pair has no bytes of its own; nothing that was encoded can be told to be this value.
  if (!value.isWellFormed()) return forms
  for (const form of [...urlForms(value), ...byteForms(value)]) forms.add(form)
  return forms
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

function byteForms(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const forms = [hex, hex.toUpperCase()]
  for (const before of [0, 1, 2]) {
    for (const form of base64Parts(bytes, before)) {
      forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'))
    }
  }
  return forms
}

/**
 * The characters of base64 that hold nothing but this value, when `before` bytes of something else come first. The
 * characters at its edges hold bits of its neighbours too; at the end there may be no neighbour, so the last one is
 * listed as well, with the padding and without.
 */
function base64Parts(bytes: Uint8Array, before: number): string[] {
  const all = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes))
  const first = Math.ceil((before * 8) / 6)
  const whole = Math.floor(((before + bytes.length) * 8) / 6)
  return [all.slice(first, whole), all.slice(first).replace(/=+$/, ''), all.slice(first)]
}
