import type { Scope, Session } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const tenant = 'containment'
const compromised = 'mallory'
const honest = 'registry'
const peopleOf = (scale: number): Scope[] => upTo(4 * scale).map((n) => ({ tenant, user: `person-${n}` }))

/** What is written about a person: what must stay, and what came from the compromised service or was derived from it. */
const textsOf = ({ user }: Scope) => ({
  stays: [`${user} lives in Lisbon.`, `Noted for ${user} before.`],
  affected: [`${user} lives nowhere.`, `${user} pays to Mallory.`, `Noted for ${user} after.`],
})

async function readable(session: Session, scope: Scope): Promise<string[]> {
  const found = await session.search?.(scope, scope.user)
  const all = [...(await session.list(scope)), ...((await session.notes?.(scope)) ?? []), ...(found ?? [])]
  return [...new Set(all.map(({ text }) => text))].sort()
}

/** A containment affects what came from its source or was derived from it, no more and no less, and a release restores it. */
export const containment: Property = {
  id: 'containment',
  title: 'The blast radius of a compromised source is exact',
  measured:
    'an honest and a compromised service state the same claims, and runs write notes before and after they could read the compromised ones; the compromised service is contained, then released',
  needs: ['bind', 'contain', 'release', 'writeInRun', 'notes', 'search'],
  async measure({ session, scale }) {
    const [bind, contain, release] = [
      required(session, 'bind'),
      required(session, 'contain'),
      required(session, 'release'),
    ]
    const writeInRun = required(session, 'writeInRun')
    for (const service of [honest, compromised]) await bind(tenant, service)
    const people = peopleOf(scale)
    const ingest = async (scope: Scope, text: string, service: string, isClaim: boolean) => {
      const about = isClaim ? { claim: 'home' } : {}
      await session.ingest({ scope, event: text, text, service, ...about })
      await session.settle()
    }
    for (const scope of people) {
      const { stays, affected } = textsOf(scope)
      await ingest(scope, stays[0] ?? '', honest, true)
      await writeInRun(scope, stays[1] ?? '')
      await ingest(scope, affected[0] ?? '', compromised, true)
      await ingest(scope, affected[1] ?? '', compromised, false)
      await writeInRun(scope, affected[2] ?? '')
    }
    const before = await Promise.all(people.map((scope) => readable(session, scope)))
    const id = await contain(tenant, compromised)
    const after = await Promise.all(people.map((scope) => readable(session, scope)))
    await release(tenant, id)
    const released = await Promise.all(people.map((scope) => readable(session, scope)))
    const expected = people.map(textsOf)
    const missing = expected.flatMap(({ stays }, n) => stays.filter((text) => !after[n]?.includes(text)))
    const left = expected.flatMap(({ affected }, n) => affected.filter((text) => after[n]?.includes(text)))
    const same = people.filter((_, n) => JSON.stringify(before[n]) === JSON.stringify(released[n]))
    const count = (of: 'stays' | 'affected') => expected.reduce((sum, texts) => sum + texts[of].length, 0)
    return [
      duty('memories of others that are current', count('stays') - missing.length, count('stays'), missing),
      breach('affected memories still readable', left.length, count('affected'), left),
      duty('people whose memory is as before after the release', same.length, people.length),
    ]
  },
  control: {
    fault: 'only what the service itself stated is removed, and a release does nothing',
    shows: ['affected memories still readable', 'people whose memory is as before after the release'],
    plant: (session) =>
      withFault(session, {
        contain: async () => {
          for (const scope of peopleOf(1)) {
            const stated: readonly string[] = textsOf(scope).affected
            for (const { id, text } of await session.list(scope))
              if (stated.includes(text)) await session.remove?.(scope, id)
          }
          return ''
        },
        release: async () => {},
      }),
  },
}
