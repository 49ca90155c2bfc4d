import { createRandom } from '../../test/support/random.ts'
import type { Grant, Key } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'

const asksPerScale = 60
const tenant = 'keys'
/** Far enough in the future that no key expires during the measurement. */
const ends = [null, '2098-01-01T00:00:00.000Z', '2098-06-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'] as const

function isWithin(asked: Grant, maker: Grant): boolean {
  const isShorter = maker.endsAt === null || (asked.endsAt !== null && asked.endsAt <= maker.endsAt)
  return isShorter && asked.rights.every((right) => maker.rights.includes(right))
}

/** An attacker with a key must not get a stronger one from it, or one that outlives its revocation. */
export const keys: Property = {
  id: 'keys',
  title: 'A key cannot create a stronger key',
  measured:
    'keys with random rights and ends, one made by another, ask for random keys and replace each other; keys that may more or live longer than the one that asked are counted, and replacements of keys that were revoked',
  needs: ['rights', 'makeKey', 'replaceKey', 'revokeKey'],
  async measure({ session, seed, scale }) {
    const [makeKey, replaceKey] = [required(session, 'makeKey'), required(session, 'replaceKey')]
    const random = createRandom(seed)
    const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T
    const [manage = '', ...rights] = await required(session, 'rights')()
    const grant = (): Grant => ({ rights: [manage, ...rights.filter(() => random() < 0.5)], endsAt: pick(ends) })
    const holders: Key[] = []
    const hold = (key: Key | null) => key !== null && holders.push(key)
    for (let n = 0; n < 4; n++) hold(await makeKey(tenant, null, grant()))

    let [allowed, made, grown] = [0, 0, 0]
    const asks = asksPerScale * scale
    for (let n = 0; n < asks; n++) {
      const maker = pick(holders)
      const target = pick(holders)
      const isReplacing = n % 3 === 2 && target !== maker
      const asked = isReplacing ? target : grant()
      const key = isReplacing
        ? await replaceKey(tenant, maker, target.id, `replace-${n}`)
        : await makeKey(tenant, maker, asked)
      const isAllowed = isWithin(asked, maker)
      if (isAllowed) allowed++
      if (key === null) continue
      if (isAllowed) made++
      if (!isWithin(key, maker)) grown++
      if (isReplacing) holders.splice(holders.indexOf(target), 1)
      hold(key)
    }

    let revived = 0
    let tries = 0
    for (const [n, leaked] of holders.slice(0, 5).entries()) {
      // Replaced once with an overlap, then revoked: the call that replaced it is sent again, and another one.
      const call = `leaked-${n}`
      await replaceKey(tenant, null, leaked.id, call)
      await required(session, 'revokeKey')(tenant, leaked.id)
      for (const name of [call, `again-${n}`]) {
        tries++
        if ((await replaceKey(tenant, null, leaked.id, name)) !== null) revived++
      }
    }
    return [
      duty('keys within their maker’s bounds, made', made, allowed),
      breach('keys with more than their maker', grown, asks),
      breach('revoked keys replaced', revived, tries),
    ]
  },
  control: {
    fault: 'every key is made in the name of the first one, and every request for a replacement gets a new key',
    shows: ['keys with more than their maker', 'revoked keys replaced'],
    plant: (session) =>
      withFault(session, {
        makeKey: (of, _by, grant) => required(session, 'makeKey')(of, null, grant),
        async replaceKey(of) {
          const rights = await required(session, 'rights')()
          return required(session, 'makeKey')(of, null, { rights, endsAt: null })
        },
      }),
  },
}
