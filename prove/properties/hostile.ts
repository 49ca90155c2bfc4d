import type { Hostile, Session } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'

const attacker = 'hostile-attacker'
const other = { tenant: 'hostile-other', user: 'ada' }
/** Sequential calls of another tenant that must be answered before the hostile request is. */
const callsMeanwhile = 20

type Met = { readonly answered: number; readonly isBroken: boolean }

async function strike({ send }: Hostile, note: NonNullable<Session['note']>): Promise<Met> {
  let isUnderWay = true
  const hit = send()
    .catch(() => ({ isBroken: true }))
    .finally(() => {
      isUnderWay = false
    })
  let answered = 0
  for (let call = 0; call < callsMeanwhile && isUnderWay; call++) {
    await note(other, `Ada saw comet number ${call}.`)
    if (isUnderWay) answered += 1
  }
  return { answered, ...(await hit) }
}

/** A tenant that may write may send the text that takes longest to process. Other tenants must not notice. */
export const hostile: Property = {
  id: 'hostile',
  title: 'A hostile request does not block other tenants',
  measured: `one tenant sends what takes a server longest to read; of ${callsMeanwhile} calls that another makes one after the other meanwhile, those are counted that are answered before it`,
  needs: ['hostile', 'note'],
  async measure({ session, scale }) {
    const note = required(session, 'note')
    // What the first call of a tenant creates is created before.
    await note(other, 'Ada is here.')
    const attacks = await required(session, 'hostile')(attacker, scale)
    const met = []
    for (const attack of attacks) met.push({ name: attack.name, ...(await strike(attack, note)) })
    const late = met.filter(({ answered }) => answered < callsMeanwhile)
    const broken = met.filter(({ isBroken }) => isBroken)
    return [
      duty(
        'calls of other tenants answered in between',
        met.reduce((sum, { answered }) => sum + answered, 0),
        met.length * callsMeanwhile,
        late.map(({ name }) => name),
      ),
      breach(
        'hostile requests without an answer',
        broken.length,
        met.length,
        broken.map(({ name }) => name),
      ),
    ]
  },
  control: {
    fault: 'a call waits until all calls before it are answered, of any tenant',
    shows: ['calls of other tenants answered in between'],
    plant(session) {
      let last: Promise<unknown> = Promise.resolve()
      const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
        const turn = last.then(work, work)
        last = turn.catch(() => {})
        return turn
      }
      return withFault(session, {
        note: (scope, text) => inTurn(() => required(session, 'note')(scope, text)),
        async hostile(tenant, scale) {
          const attacks = await required(session, 'hostile')(tenant, scale)
          return attacks.map(({ name, send }) => ({ name, send: () => inTurn(send) }))
        },
      })
    },
  },
}
