import { limits } from '../core/limits.ts'
import type { Storage } from '../ports/storage.ts'
import type { App } from './context.ts'
import type { RequestTurns } from './request-turns.ts'

/**
 * Tells the other processes on the database who asks here, and the turns who asks there: a tenant whose requests come in at
 * several processes holds back in all of them. Only while somebody asks; without an answer nobody is held back for long.
 */
export function hearNeighbours(app: App, { exchangeAsks, traits }: Storage, turns: RequestTurns): void {
  if (!traits.sharedAcrossProcesses) return
  let isAsking = false
  const exchange = async () => {
    const asking = turns.asking()
    if (isAsking || asking.length === 0) return
    isAsking = true
    await exchangeAsks(asking)
      .then(turns.hear)
      .catch(() => {})
    isAsking = false
  }
  app.addHook('onListen', async () => {
    const timer = setInterval(() => void exchange(), limits.askExchangeMs).unref()
    app.server.once('close', () => clearInterval(timer))
  })
}
