// One product in its own process, so that its garbage collection and its waiting affect no other: started by rival.ts.
import { productOf } from './products.ts'
import type { Order, Reply } from './rival.ts'
import { createWorkplace, type Workplace } from './work.ts'

let workplace: Workplace | null = null

async function obey(order: Order): Promise<Reply> {
  if (order.kind === 'fill') {
    const product = productOf(order.group, order.product)
    workplace = await createWorkplace(await product.open(order.place), order.size)
    return { kind: 'filled' }
  }
  if (workplace === null) throw new Error('It must be filled first.')
  if (order.kind === 'slice') return { kind: 'slice', slice: await workplace.slice(order.work, order.options) }
  await workplace.close()
  return { kind: 'closed' }
}

process.on('message', (order: Order) => {
  obey(order).then(
    (reply) => process.send?.(reply),
    (error: unknown) => {
      const reply: Reply = { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
      process.send?.(reply)
    },
  )
})
process.on('disconnect', () => process.exit())
