import { createRandom } from '../../test/support/random.ts'
import type { Scope, Session } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'
import { marker, upTo } from '../random.ts'

const attacksPerScale = 60
const tenant = 'laundering'
const users = 6
/** Requests at a time. */
const batch = 12

type Attack = { readonly kind: Kind; readonly text: string; readonly scope: Scope; readonly claim: string }
const kinds = ['echo', 'spelling', 'repeated', 'summary', 'run'] as const
type Kind = (typeof kinds)[number]

/** How a text of a tool may come back as a text of an agent. */
const attackWith: Readonly<Record<Kind, (session: Session, attack: Attack) => Promise<void>>> = {
  async echo(session, attack) {
    await required(session, 'ingestFromTool')({ ...attack, event: `${attack.claim}-tool` })
    await session.settle()
    await restate(session, attack, attack.text, 1)
  },
  async spelling(session, attack) {
    await required(session, 'ingestFromTool')({ ...attack, event: `${attack.claim}-tool` })
    await session.settle()
    await restate(session, attack, ` ${attack.text.toUpperCase()}!!`, 1)
  },
  async repeated(session, attack) {
    await required(session, 'ingestFromTool')({ ...attack, event: `${attack.claim}-tool` })
    await session.settle()
    await restate(session, attack, attack.text, 3)
  },
  async summary(session, { scope, text }) {
    const own = { ...scope, user: `${scope.user}-${text}` }
    for (const part of ['first', 'second']) await required(session, 'noteFromTool')(own, `${text} ${part}.`)
    await required(session, 'summarise')(own)
  },
  async run(session, { scope, text }) {
    const own = { ...scope, user: `${scope.user}-${text}` }
    await required(session, 'retell')(own, await required(session, 'noteFromTool')(own, text))
  },
}

/** The agent states what it read, in events of its own and later than the tool. */
async function restate(session: Session, { scope, claim }: Attack, text: string, times: number): Promise<void> {
  for (const nth of upTo(times)) {
    const observedAt = new Date().toISOString()
    await session.ingest({ scope, event: `${claim}-${nth}`, text, claim, observedAt })
  }
}

/** Repeating, summarising or copying an untrusted text does not make it more than that. */
export const laundering: Property = {
  id: 'laundering',
  title: 'A repeated text of a tool is not trusted',
  measured:
    'texts of tools are stated again by an agent, in another spelling, several times, in a summary of notes, and by a run that read them; those that are then returned by default are counted, beside memories that an agent stated itself',
  needs: ['ingestFromTool', 'noteFromTool', 'summarise', 'retell', 'notes'],
  async measure({ session, seed, scale }) {
    const random = createRandom(seed)
    const attacks = upTo(attacksPerScale * scale).map((nth): Attack => {
      const kind = kinds[Math.floor(random() * kinds.length)] as Kind
      return {
        kind,
        text: `tool ${marker(seed, `${nth}`)}`,
        scope: { tenant, user: `u${nth % users}` },
        claim: `c${nth}`,
      }
    })
    const honest = attacks.map(({ scope }, nth) => ({ scope, text: `honest ${marker(seed, `h${nth}`)}` }))
    for (let from = 0; from < attacks.length; from += batch) {
      await Promise.all(attacks.slice(from, from + batch).map((attack) => attackWith[attack.kind](session, attack)))
      await Promise.all(
        honest.slice(from, from + batch).map((own, nth) => session.ingest({ ...own, event: `honest-${from + nth}` })),
      )
    }
    await session.settle()
    const read = new Set<string>()
    for (const nth of upTo(users)) {
      for (const { text } of await session.list({ tenant, user: `u${nth}` })) read.add(plain(text))
    }
    const isRead = async ({ kind, text, scope }: Attack) => {
      if (kind !== 'summary' && kind !== 'run') return read.has(plain(text))
      const notes = await required(session, 'notes')({ ...scope, user: `${scope.user}-${text}` })
      return notes.some((note) => note.text.includes(text))
    }
    const elevated: string[] = []
    for (const attack of attacks) if (await isRead(attack)) elevated.push(attack.kind)
    const kept = honest.filter(({ text }) => read.has(plain(text)))
    return [
      duty('memories of an agent that are read', kept.length, honest.length),
      breach('texts of tools that are read as if an agent had stated them', elevated.length, attacks.length, elevated),
    ]
  },
  control: {
    fault: 'a text of a tool is stored like any other',
    shows: ['texts of tools that are read as if an agent had stated them'],
    plant: (session) =>
      withFault(session, {
        ingestFromTool: (event) => session.ingest(event),
        noteFromTool: (scope, text) => required(session, 'note')(scope, text),
      }),
  },
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, '')
    .trim()
