import type { Key, Scope } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const tenant = 'sybil'
const keysEach = 4
const groups = 6

/** One leaked key that may create keys is one source, however many keys it creates. */
export const sybil: Property = {
  id: 'sybil',
  title: 'Keys of one key do not corroborate each other',
  measured:
    'a text of a tool is stated by a key without the rights of an operator, and by keys that it and those made; texts that are then returned by default are counted, beside texts that two independent keys state',
  needs: ['ingestFromTool', 'ingestAs', 'makeKey', 'rights'],
  async measure({ session, scale }) {
    const [fromTool, ingestAs] = [required(session, 'ingestFromTool'), required(session, 'ingestAs')]
    const makeKey = required(session, 'makeKey')
    const rights = await required(session, 'rights')()
    const keyBy = async (by: Key | null): Promise<Key> => {
      const key = await makeKey(tenant, by, { rights, endsAt: null })
      if (key === null) throw new Error('The key was not made.')
      return key
    }
    let [elevated, corroborated] = [0, 0]
    const count = groups * scale
    const stateAll = async (scope: Scope, keys: readonly Key[]) => {
      const about = { scope, text: `The door of ${scope.user} is open.`, claim: 'door' }
      await fromTool({ ...about, event: `${scope.user}-tool` })
      await session.settle()
      for (const [nth, key] of keys.entries()) await ingestAs(key, { ...about, event: `${scope.user}-${nth}` })
      await session.settle()
      return (await session.list(scope)).length > 0
    }
    for (const nth of upTo(count)) {
      const leaked = await keyBy(null)
      // Every second one is made by the one before it, the others by the leaked key itself.
      const made: Key[] = [leaked]
      for (const more of upTo(keysEach)) made.push(await keyBy(more % 2 === 0 ? leaked : (made.at(-1) ?? leaked)))
      if (await stateAll({ tenant, user: `one-${nth}` }, made)) elevated++
      if (await stateAll({ tenant, user: `two-${nth}` }, [leaked, await keyBy(null)])) corroborated++
    }
    return [
      duty('texts of two independent keys that are read', corroborated, count),
      breach('texts of one key and of the keys it made that are read', elevated, count),
    ]
  },
  control: {
    fault: 'every key is made in the name of the operator',
    shows: ['texts of one key and of the keys it made that are read'],
    plant: (session) =>
      withFault(session, { makeKey: (of, _by, grant) => required(session, 'makeKey')(of, null, grant) }),
  },
}
