import { createRandom } from '../../test/support/random.ts'
import { openEditor } from '../editor.ts'
import { forgeriesOf } from '../forgeries.ts'
import type { Session } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const scope = { tenant: 'tamper', user: 'ada' }

/** A record that can be rewritten in the database unnoticed is no evidence. */
export const tamper: Property = {
  id: 'tamper',
  title: 'Forged records are detected',
  measured:
    'values of the log, of memories and of every other table that says what happened are altered in the database, rows deleted, swapped and planted, one forgery at a time; those that its own verification notices are counted',
  needs: ['verify'],
  async measure({ product, place, session, seed, scale }) {
    const verify = required(session, 'verify')
    if (product.record === undefined) throw new Error('The adapter does not say where the record is.')
    for (const n of upTo(12)) await session.ingest({ scope, event: `t-${n}`, text: `Ada has ${n} cats, it was said.` })
    await session.settle()
    const [first] = await session.list(scope)
    await session.change?.(scope, first?.id ?? '', 'Ada has no cat at all.')
    await fillOtherTables(session)
    const unnoticed: string[] = []
    let forged = 0
    let alarms = 0
    let looks = 0
    const look = async () => {
      looks++
      if (!(await verify(scope.tenant))) alarms++
    }
    await look()
    const editor = await openEditor(place, product.record.log.table)
    for (const statement of product.record.prepare ?? []) await editor.run(statement)
    try {
      for (const round of upTo(scale)) {
        const random = createRandom(seed + round)
        for (const { name, forge, undo } of await forgeriesOf(editor, product.record, scope.tenant, random)) {
          await forge()
          forged++
          if (await verify(scope.tenant)) unnoticed.push(name)
          await undo()
          await look()
        }
      }
    } finally {
      await editor.close()
    }
    return [
      duty('forgeries noticed', forged - unnoticed.length, forged, unnoticed),
      breach('alarms without a forgery', alarms, looks),
    ]
  },
  control: {
    fault: 'the verification believes everything',
    shows: ['forgeries noticed'],
    plant: (session) => withFault(session, { verify: async () => true }),
  },
}

/** Rows of every kind: ranked services that disagree, a secret, notes and their summary, a run, a forgotten person. */
async function fillOtherTables(session: Session): Promise<void> {
  const { tenant } = scope
  await session.rank?.(tenant, 'desk', 80)
  for (const service of [undefined, 'desk'])
    await session.ingest({
      scope,
      event: `c-${service}`,
      text: `Stated by ${service}.`,
      claim: 'pet',
      ...(service ? { service } : {}),
    })
  await session.ingest({ scope: { tenant, user: 'eve' }, event: 'x-1', text: 'Eve has a dog.' })
  await session.settle()
  for (const n of upTo(3)) await session.note?.(scope, `Note ${n} about the cats, with a few words more.`)
  await session.summarise?.(scope)
  const run = await session.beginRun?.(scope)
  if (run) await session.endRun?.(scope, run)
  await session.knowSecret?.(tenant, 'word', 'a-value-that-cannot-be-guessed-4711')
  await session.forget?.({ tenant, user: 'eve' })
  await session.settle()
}
