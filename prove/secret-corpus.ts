import { marker } from './random.ts'

/**
 * Secrets and ordinary texts, made anew from a seed. None of it is real: shapes are those that vendors document, values
 * come from a hash.
 */

export type Planted = { readonly kind: string; readonly text: string; readonly secret: string }

const letters = (seed: number, name: string, length: number, alphabet: string): string => {
  let text = ''
  for (let block = 0; text.length < length; block++) {
    const bytes = Buffer.from(marker(seed, `${name} ${block}`), 'hex')
    for (const byte of bytes) text += alphabet[byte % alphabet.length]
  }
  return text.slice(0, length)
}

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lower = upper.toLowerCase()
const digits = '0123456789'
const hex = `${digits}abcdef`
const word = upper + lower + digits

/** Credentials with a documented format, as people paste them. */
export function shapedSecrets(seed: number): Planted[] {
  const make = (name: string, length: number, alphabet = word) => letters(seed, name, length, alphabet)
  const shapes: Readonly<Record<string, readonly [string, (secret: string) => string]>> = {
    'AWS access key': [`AKIA${make('aws', 16, `${upper}234567`)}`, (s) => `The key for S3 is ${s}, keep it.`],
    'AWS secret key': [make('aws-secret', 40), (s) => `aws_secret_access_key = ${s}`],
    'GitHub token': [`ghp_${make('gh', 36)}`, (s) => `I push with ${s} from my laptop.`],
    'GitHub fine-grained token': [`github_pat_${make('pat', 22)}_${make('pat2', 59)}`, (s) => `token: ${s}`],
    'GitLab token': [`glpat-${make('gl', 20)}`, (s) => `GitLab knows me as ${s}.`],
    'Slack bot token': [
      `xoxb-${make('x1', 12, digits)}-${make('x2', 13, digits)}-${make('x3', 24)}`,
      (s) => `Slack: ${s}`,
    ],
    'Slack webhook': [
      make('w', 24),
      (s) =>
        `Post it to https://hooks.slack.com/services/T01${make('t', 6, digits)}/B02${make('b', 6, digits)}/${s} please.`,
    ],
    'Stripe key': [`sk_live_${make('stripe', 24)}`, (s) => `Payments run on ${s}.`],
    'OpenAI key': [`sk-proj-${make('oa', 48)}`, (s) => `export OPENAI_API_KEY=${s}`],
    'Anthropic key': [`sk-ant-api03-${make('an', 93)}AA`, (s) => `Use ${s} for Claude.`],
    'Google API key': [`AIza${make('goog', 35)}`, (s) => `The map loads with key=${s}.`],
    'npm token': [`npm_${make('npm', 36)}`, (s) => `//registry.npmjs.org/:_authToken=${s}`],
    'PyPI token': [`pypi-AgEIcHlwaS5vcmc${make('pypi', 80)}`, (s) => `twine wants ${s}`],
    'SendGrid key': [`SG.${make('sg', 22)}.${make('sg2', 43)}`, (s) => `Mail goes out with ${s}.`],
    'Hugging Face token': [`hf_${make('hf', 34, upper + lower)}`, (s) => `My models: ${s}`],
    'DigitalOcean token': [`dop_v1_${make('do', 64, hex)}`, (s) => `doctl auth init -t ${s}`],
    'Telegram bot token': [`${make('tg', 9, digits)}:AA${make('tg2', 33)}`, (s) => `The bot is ${s}.`],
    'JSON Web Token': [
      `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(`{"sub":"${make('sub', 12)}"}`).toString('base64url')}.${make('sig', 43)}`,
      (s) => `Authorization: Bearer ${s}`,
    ],
    'private key': [
      make('pem', 128),
      (s) => `-----BEGIN PRIVATE KEY-----\n${s.slice(0, 64)}\n${s.slice(64)}\n-----END PRIVATE KEY-----`,
    ],
    'password in a URL': [make('pgpass', 18), (s) => `We use postgres://app:${s}@db.internal:5432/app for that.`],
    'password in a setting': [make('pw', 16), (s) => `DB_PASSWORD="${s}"`],
    'password in a sentence': [make('pw2', 14), (s) => `The wifi password is ${s} and the guest one is none.`],
    'basic authentication': [
      Buffer.from(`ada:${make('basic', 18)}`).toString('base64'),
      (s) => `curl -H "Authorization: Basic ${s}" https://example.org`,
    ],
    'Azure storage key': [
      `${make('az', 86)}==`,
      (s) => `DefaultEndpointsProtocol=https;AccountName=ada;AccountKey=${s};EndpointSuffix=core.windows.net`,
    ],
  }
  return Object.entries(shapes).map(([kind, [secret, write]]) => ({ kind, secret, text: write(secret) }))
}

/** A value without a format: it can only be configured, not recognised. */
export function knownValue(seed: number, name: string): string {
  return `Zq/${letters(seed, name, 8, word)} &"'<+=é\u{1f511}~${letters(seed, `${name} more`, 8, word)}`
}

type Writing = (value: string) => string

/** How programs encode a value. */
export const encodings: Readonly<Record<string, Writing>> = {
  JSON: (value) => JSON.stringify(value).slice(1, -1),
  'JSON in ASCII': (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  URL: encodeURIComponent,
  form: (value) => new URLSearchParams({ v: value }).toString().slice(2),
  hex: (value) => Buffer.from(value).toString('hex'),
  base64: (value) => Buffer.from(value).toString('base64'),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  'base64 of a longer text': (value) => Buffer.from(`id=1&key=${value}&more`).toString('base64'),
}

/** How a person disguises a value on purpose. No scanner is expected to undo all of this; the number is only reported. */
export const disguises: Readonly<Record<string, Writing>> = {
  backwards: (value) => [...value].reverse().join(''),
  spaced: (value) => [...value].join(' '),
  rot13: (value) =>
    value.replaceAll(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < 'n' ? 13 : -13))),
  'base64 twice': (value) => Buffer.from(Buffer.from(value).toString('base64')).toString('base64'),
}

/** Harmless texts, each of which resembles a secret. */
export function ordinaryTexts(seed: number): string[] {
  const make = (name: string, length: number, alphabet = word) => letters(seed, name, length, alphabet)
  return [
    'Ada prefers tea to coffee, and a window seat.',
    'She asked for the password policy; it wants twelve characters.',
    'Please reset my password, I forgot it.',
    'The token bucket holds a hundred requests a minute.',
    'Her secret to good bread is time.',
    `The commit ${make('sha', 40, hex)} broke the build.`,
    `Image sha256:${make('image', 64, hex)} is the one in production.`,
    `Order 4711-${make('order', 8, digits)} was sent on Monday.`,
    `The invoice id is ${make('u1', 8, hex)}-${make('u2', 4, hex)}-4${make('u3', 3, hex)}-a${make('u4', 3, hex)}-${make('u5', 12, hex)}.`,
    'ISBN 978-3-16-148410-0 is on her list.',
    'Call her on +41 44 668 18 00 after five.',
    'She lives at 221B Baker Street, London NW1 6XE.',
    'https://example.org/articles/2026/11/how-to-rotate-api-keys?ref=newsletter',
    'The function getAccessToken(userId) returns null.',
    'const password = process.env.DB_PASSWORD',
    'api_key: <your key here>',
    'Set API_KEY to the value from the dashboard.',
    'password: ********',
    'The flight is LX1234 on 2026-11-20, gate B42.',
    'ssh-keygen -t ed25519 makes a pair of keys.',
    'AKIA is how such keys begin, she learned.',
    'Bearer of good news, she wrote.',
    '#ff8800 is the orange of the logo.',
    'The MD5 of an empty file is d41d8cd98f00b204e9800998ecf8427e.',
    'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
    'She scored 98765432101234 points in a game.',
    'Version 1.2.3-beta.4+build.5678 fixes it.',
    'The coordinates are 46.94797, 7.44745.',
    'npm install --save-dev typescript@7.0.2',
    'Basic authentication is switched off there.',
  ]
}
