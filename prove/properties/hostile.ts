import type { Hostile, Session } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'

const attacker = 'hostile-attacker'
const other = { tenant: 'hostile-other', user: 'ada' }
/** Calls of another tenant, one after the other, that must be answered before the hostile request is. */
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

/** Somebody who may write may send the text that takes longest to read. It is nobody else's affair. */
export const hostile: Property = {
  id: 'hostile',
  title: 'A hostile request does not stop others',
  measured: `one tenant sends what takes a server longest to read; of ${callsMeanwhile} calls that another makes one after the other meanwhile, those are counted that are answered before it`,
  needs: ['hostile', 'note'],
  async measure({ session, scale }) {
    const note = required(session, 'note')
    // Whatever a first call of a tenant makes is made before.
    await note(other, 'Ada is here.')
    const attacks = await required(session, 'hostile')(attacker, scale)
    const met = []
    for (const attack of attacks) met.push({ name: attack.name, ...(await strike(attack, note)) })
    const late = met.filter(({ answered }) => answered < callsMeanwhile)
    const broken = met.filter(({ isBroken }) => isBroken)
    return [
      duty(
        'calls of others answered meanwhile',
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
    fault: 'a call waits until those before it are answered, whoever made them',
    shows: ['calls of others answered meanwhile'],
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
