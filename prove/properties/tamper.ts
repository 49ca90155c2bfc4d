import { createRandom } from '../../test/support/random.ts'
import { openEditor } from '../editor.ts'
import { forgeriesOf } from '../forgeries.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const scope = { tenant: 'tamper', user: 'ada' }

/** A record that anybody with the database can rewrite unnoticed is a story, not evidence. */
export const tamper: Property = {
  id: 'tamper',
  title: 'Forging the record is noticed',
  measured:
    'values of the log and of memories are altered in the database, rows deleted, swapped and added, one forgery at a time; those that its own verification notices are counted',
  needs: ['verify'],
  async measure({ product, place, session, seed, scale }) {
    const verify = required(session, 'verify')
    if (product.record === undefined) throw new Error('The adapter does not say where the record is.')
    for (const n of upTo(12)) await session.tell({ scope, event: `t-${n}`, text: `Ada has ${n} cats, it was said.` })
    await session.settle()
    const [first] = await session.list(scope)
    await session.change?.(scope, first?.id ?? '', 'Ada has no cat at all.')
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
