import type { Credit, Session } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const scope = { tenant: 'edits', user: 'ada' }
const services = ['registry', 'shop'] as const

/** The content that a service stated, and its edit. */
type Change = { readonly stated: string; readonly edited: string; readonly service: string; readonly by: string | null }

/** The contents of each service are edited with an unrelated key, by the other service and by itself, with a claim and without one. */
const changesOf = (scale: number): (Change & { readonly claim: string | null })[] =>
  upTo(scale).flatMap((round) =>
    services.flatMap((service) =>
      [null, ...services].flatMap((by) =>
        [true, false].map((isClaim) => {
          const name = `${round}-${service}-${by ?? 'unrelated'}-${isClaim ? 'claim' : 'plain'}`
          const claim = isClaim ? `home-${name}` : null
          return { stated: `Ada lives at ${name}.`, edited: `Ada has left ${name}.`, service, by, claim }
        }),
      ),
    ),
  )

/** No content is attributed to a service that did not state it. */
export const edits: Property = {
  id: 'edits',
  title: 'Edits are not attributed to another service',
  measured:
    'contents of services that are bound to their own key are edited with an unrelated key, by other services and by themselves; contents that are shown as those of a service that never stated them are counted',
  needs: ['bind', 'edit', 'credits'],
  async measure({ session, scale }) {
    const [bind, edit, credits] = [required(session, 'bind'), required(session, 'edit'), required(session, 'credits')]
    for (const service of services) await bind(scope.tenant, service)
    const changes = changesOf(scale)
    for (const [index, { stated, service, claim }] of changes.entries()) {
      const about = claim === null ? {} : { claim }
      await session.ingest({ scope, event: `e-${index}`, text: stated, service, ...about })
    }
    await session.settle()
    const before = new Map((await credits(scope)).map((credit) => [credit.text, credit]))
    for (const { stated, edited, by } of changes) await edit(scope, before.get(stated)?.id ?? '', edited, by)
    const after = await credits(scope)
    const find = (text: string): Credit | undefined => after.find((credit) => credit.text === text)
    const lost = changes.filter(({ edited }) => find(edited) === undefined)
    const borrowed = after.filter(({ text, service }) => service !== null && !mayHaveSaid(changes, text, service))
    // What had no claim has the edit as its next version; what had one stays beside the edit.
    const claims = changes.filter(({ claim }) => claim !== null)
    const kept = claims.filter(({ stated, service }) => find(stated)?.service === service)
    return [
      duty(
        'edits that are stored',
        changes.length - lost.length,
        changes.length,
        lost.map(({ edited }) => edited),
      ),
      duty('edited contents that keep their own source', kept.length, claims.length),
      breach(
        'contents under a service that never stated them',
        borrowed.length,
        after.length,
        borrowed.map(({ text }) => text),
      ),
    ]
  },
  control: {
    fault: 'an edit is shown with the source of what it replaced, and what it replaced without one',
    shows: ['contents under a service that never stated them', 'edited contents that keep their own source'],
    plant(session: Session) {
      const sources = new Map<string, string>()
      const replaced = new Set<string>()
      const edit = async (...[of, id, text, by]: Parameters<NonNullable<Session['edit']>>) => {
        const former = (await session.credits?.(of))?.find((credit) => credit.id === id)
        if (former?.service) sources.set(text, former.service)
        if (former) replaced.add(former.text)
        await session.edit?.(of, id, text, by)
      }
      const credits = async (of: Parameters<NonNullable<Session['credits']>>[0]) =>
        ((await session.credits?.(of)) ?? []).map((credit) => ({
          ...credit,
          service: replaced.has(credit.text) ? null : (sources.get(credit.text) ?? credit.service),
        }))
      return withFault(session, { edit, credits })
    },
  },
}

function mayHaveSaid(changes: readonly Change[], text: string, service: string): boolean {
  return changes.some(
    (change) =>
      (change.stated === text && change.service === service) ||
      (change.edited === text && change.by === service && change.service === service),
  )
}
