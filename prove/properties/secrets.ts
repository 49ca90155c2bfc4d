import type { Scope, Session } from '../product.ts'
import { breach, duty, type Figure, fact, type Property, required, withFault } from '../property.ts'
import { disguises, encodings, knownValue, ordinaryTexts, type Planted, shapedSecrets } from '../secret-corpus.ts'
import { hasText, storedBytes } from '../stored-bytes.ts'

const tenant = 'secrets'
const scopeOf = (user: string): Scope => ({ tenant, user })

async function ingestAll(session: Session, scope: Scope, texts: readonly string[]): Promise<void> {
  await Promise.all(texts.map((text, n) => session.ingest({ scope, event: `${scope.user}-${n}`, text })))
  await session.settle()
}

async function textsOf(session: Session, scope: Scope): Promise<string[]> {
  return (await session.list(scope)).map(({ text }) => text)
}

/** A secret is removed if not even a third of it can be read. */
function isOut(texts: readonly string[], secret: string): boolean {
  const piece = Math.max(6, Math.ceil(secret.length / 3))
  for (let at = 0; at + piece <= secret.length; at++)
    if (texts.some((text) => text.includes(secret.slice(at, at + piece)))) return false
  return true
}

const written = (value: string, ways: Readonly<Record<string, (value: string) => string>>): Planted[] =>
  Object.entries(ways).map(([kind, write]) => ({ kind, secret: write(value), text: `Noted: ${write(value)} – done.` }))

/** The kinds that are still readable. */
async function stillIn(session: Session, scope: Scope, planted: readonly Planted[]): Promise<string[]> {
  await ingestAll(
    session,
    scope,
    planted.map(({ text }) => text),
  )
  const texts = await textsOf(session, scope)
  return planted.filter(({ secret }) => !isOut(texts, secret)).map(({ kind }) => kind)
}

/** People paste keys into chats. A memory must not store them, and must not treat every text as one. */
export const secrets: Property = {
  id: 'secrets',
  title: 'Secrets are redacted, ordinary texts are unchanged',
  measured:
    'credentials of 24 vendors’ shapes, and values that were configured as secrets, plain and as programs encode them; then values that are configured only after they were stored, and a summary of those',
  needs: ['knowSecret'],
  async measure({ session, place, seed }) {
    const knowSecret = required(session, 'knowSecret')
    const [known, late] = [knownValue(seed, 'known'), knownValue(seed, 'late')]
    await knowSecret(tenant, 'known-to-the-vault', known)
    const shaped = shapedSecrets(seed)
    const direct = [...shaped, { kind: 'known value', secret: known, text: `Her code is ${known}, she says.` }]
    const encoded = written(known, encodings)
    const disguised = written(known, disguises)
    const ordinary = ordinaryTexts(seed)
    const directIn = await stillIn(session, scopeOf('direct'), direct)
    const encodedIn = await stillIn(session, scopeOf('encoded'), encoded)
    await ingestAll(session, scopeOf('ordinary'), ordinary)
    const kept = new Set(await textsOf(session, scopeOf('ordinary')))
    const bytes = await storedBytes(place)
    const stored = [...direct, ...encoded].filter(({ secret }) => hasText(bytes, secret)).map(({ kind }) => kind)
    const disguisedIn = await stillIn(session, scopeOf('disguised'), disguised)
    const changed = ordinary.filter((text) => !kept.has(text))
    return [
      duty('written plainly, taken out', direct.length - directIn.length, direct.length, directIn),
      duty('encoded, taken out', encoded.length - encodedIn.length, encoded.length, encodedIn),
      ...(await knownTooLate(session, late)),
      breach('found in the stored bytes', stored.length, direct.length + encoded.length, stored),
      breach('ordinary texts changed', changed.length, ordinary.length, changed),
      fact('disguised on purpose, taken out', disguised.length - disguisedIn.length, disguised.length),
    ]
  },
  control: {
    fault: 'no value is configured as secret, and a letter of every ordinary text is cut',
    shows: [
      'written plainly, taken out',
      'encoded, taken out',
      'known too late, taken out',
      'kept out of the summary',
      'found in the stored bytes',
      'ordinary texts changed',
    ],
    plant: (session) =>
      withFault(session, {
        knowSecret: async () => {},
        list: async (scope) =>
          (await session.list(scope)).map((memory) =>
            scope.user === 'ordinary' ? { ...memory, text: memory.text.slice(1) } : memory,
          ),
      }),
  },
}

/** Stored first, configured as a secret afterwards, then summarised: what is still readable. */
async function knownTooLate(session: Session, late: string): Promise<Figure[]> {
  const { note, notes, summarise } = session
  if (!note || !notes || !summarise) return []
  const scope = scopeOf('derived')
  const plain = { kind: 'plain', secret: late, text: `Before it was known: ${late} was the code.` }
  const planted = [plain, ...written(late, encodings)]
  const left = async () => {
    const texts = ((await session.notes?.(scope)) ?? []).map(({ text }) => text)
    return { texts, kinds: planted.filter(({ secret }) => !isOut(texts, secret)).map(({ kind }) => kind) }
  }
  for (const { text } of planted) await session.note?.(scope, text)
  const before = await left()
  await required(session, 'knowSecret')(tenant, 'known-too-late', late)
  const after = await left()
  await session.summarise?.(scope)
  const summary = await left()
  const all = planted.length
  return [
    duty('known too late, readable until then', before.kinds.length, all),
    duty('known too late, taken out', all - after.kinds.length, all, after.kinds),
    duty('notes made into a summary', after.texts.length - summary.texts.length, all - 1),
    duty('kept out of the summary', all - summary.kinds.length, all, summary.kinds),
  ]
}
