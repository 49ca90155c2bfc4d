import { breach, duty, type Property, required, withFault } from '../property.ts'
import { permutations } from '../random.ts'

type Voice = { readonly service: string; readonly text: string; readonly observedAt: string }

/** Priorities, and the winner they give: the higher priority, and of equal ones the later observation. */
const priorities = { helpdesk: 20, chat: 50, crm: 80 } as const

const cases: readonly { readonly name: string; readonly voices: readonly Voice[]; readonly right: string }[] = [
  {
    name: 'one above all',
    voices: [
      { service: 'crm', text: 'The plan is gold.', observedAt: '2026-01-01T00:00:00Z' },
      { service: 'chat', text: 'The plan is silver.', observedAt: '2026-03-01T00:00:00Z' },
      { service: 'helpdesk', text: 'The plan is bronze.', observedAt: '2026-04-01T00:00:00Z' },
      { service: 'chat', text: 'The plan is copper.', observedAt: '2026-05-01T00:00:00Z' },
    ],
    right: 'The plan is gold.',
  },
  {
    name: 'two above all, at different times',
    voices: [
      { service: 'crm', text: 'The seat is an aisle seat.', observedAt: '2026-02-01T00:00:00Z' },
      { service: 'crm', text: 'The seat is a window seat.', observedAt: '2026-03-01T00:00:00Z' },
      { service: 'chat', text: 'The seat is a middle seat.', observedAt: '2026-06-01T00:00:00Z' },
      { service: 'helpdesk', text: 'The seat is any seat.', observedAt: '2026-07-01T00:00:00Z' },
    ],
    right: 'The seat is a window seat.',
  },
]

/** Messages arrive in any order. The winner must not depend on it. */
export const authority: Property = {
  id: 'authority',
  title: 'Authority decides, not the order of arrival',
  measured:
    'four statements of services of different rank arrive in all 24 orders; orders after which the right one wins are counted',
  needs: ['rank'],
  async measure({ session }) {
    const rank = required(session, 'rank')
    for (const [service, priority] of Object.entries(priorities)) await rank('authority', service, priority)
    let right = 0
    let others = 0
    let orders = 0
    for (const { name, voices, right: expected } of cases) {
      const tries = permutations(voices).map((order, number) => ({ order, user: `${name} ${number}` }))
      await Promise.all(
        tries.map(async ({ order, user }) => {
          const scope = { tenant: 'authority', user }
          for (const [place, voice] of order.entries()) {
            await session.ingest({ scope, event: `${name} ${user} ${place}`, claim: 'it', ...voice })
          }
        }),
      )
      await session.settle()
      for (const { user } of tries) {
        const held = (await session.list({ tenant: 'authority', user })).map(({ text }) => text)
        orders++
        if (held.includes(expected)) right++
        if (held.some((text) => text !== expected)) others++
      }
    }
    return [duty('orders with the right statement', right, orders), breach('orders with another one', others, orders)]
  },
  control: {
    fault: 'the last to arrive counts as the latest, and all priorities are equal',
    shows: ['orders with the right statement', 'orders with another one'],
    plant(session) {
      let minute = 0
      return withFault(session, {
        rank: async (tenant, service) => session.rank?.(tenant, service, 50),
        ingest: (sent) =>
          session.ingest({ ...sent, observedAt: new Date(Date.UTC(2026, 7, 1, 0, minute++)).toISOString() }),
      })
    },
  },
}
