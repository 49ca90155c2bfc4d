import type { Memory, Scope } from '../product.ts'
import { breach, duty, fact, type Property, withFault } from '../property.ts'

/** Names that a careless comparison confuses: prefixes, wildcards, separators, case, and accents. */
const users = ['user-1', 'user-10', 'user-1-', 'user_1', 'user%', 'User-1', 'user-1.a', 'usér-1'] as const
const tenants = ['acme', 'acme-2', 'acme_2'] as const

const wordOf = ({ tenant, user }: Scope) => Buffer.from(`${tenant} ${user}`).toString('hex')

/** A response with a memory of another tenant or user is the worst failure of a shared store. */
export const bleed: Property = {
  id: 'bleed',
  title: 'No leaks between tenants, users and similar names',
  measured: `${tenants.length} tenants with ${users.length} users each, named to be mixed up; memories of others in what list, search and get by id answer are counted`,
  needs: [],
  async measure({ session }) {
    const named = tenants.flatMap((tenant) => users.map((user) => ({ tenant, user })))
    const scopes: Scope[] = []
    for (const scope of named) {
      try {
        await session.ingest({ scope, event: `bleed-${wordOf(scope)}`, text: `The word is ${wordOf(scope)}.` })
        scopes.push(scope)
      } catch {
        // A name that is refused is not mixed up with another one.
      }
    }
    await session.settle()
    let own = 0
    let foreign = 0
    let asked = 0
    const ids = new Map<Scope, string>()
    const judge = (scope: Scope, found: readonly Memory[]) => {
      asked++
      foreign += found.filter(({ text }) => !text.includes(`${wordOf(scope)}.`)).length
    }
    for (const scope of scopes) {
      const listed = await session.list(scope)
      judge(scope, listed)
      const mine = listed.find(({ text }) => text.includes(`${wordOf(scope)}.`))
      if (mine !== undefined) {
        own++
        ids.set(scope, mine.id)
      }
      if (session.search) judge(scope, await session.search(scope, 'The word is'))
    }
    // The id of a memory gives no right to read it.
    for (const [index, scope] of scopes.entries()) {
      const id = ids.get(scopes[(index + 1) % scopes.length] as Scope)
      const other = ids.get(scopes[(index + users.length) % scopes.length] as Scope)
      for (const wanted of [id, other]) {
        if (wanted === undefined || !session.get) continue
        const found = await session.get(scope, wanted)
        judge(scope, found ? [found] : [])
      }
    }
    return [
      duty('own memories found', own, scopes.length),
      breach('memories of others', foreign, asked),
      fact('names refused', named.length - scopes.length, named.length),
    ]
  },
  control: {
    fault: 'a name stands for everything that begins with it',
    shows: ['memories of others'],
    plant: (session) =>
      withFault(session, {
        list: async (scope) => {
          const names = users.filter((user) => user.startsWith(scope.user))
          return (await Promise.all(names.map((user) => session.list({ ...scope, user })))).flat()
        },
      }),
  },
}
