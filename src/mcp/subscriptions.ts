import {
  type McpServer,
  ResourceNotFoundError,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import type { Client } from '../client/index.ts'
import type { BoundRef } from './bound-ref.ts'
import { describeError } from './describe-error.ts'
import { createResourceChanges, type ResourceChanges } from './resource-changes.ts'
import { isResourceUri } from './resources.ts'

/** Adds `resources/subscribe` and `resources/unsubscribe` (protocol of 2025) to a server whose connection stays open. */
export function addSubscriptions(server: McpServer, client: Client, bound: BoundRef): void {
  const subscribed = new Set<string>()
  const changes = createResourceChanges(client, bound, {
    updated(uri) {
      if (subscribed.has(uri)) void server.server.sendResourceUpdated({ uri }).catch(() => {})
    },
  })
  server.server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (!isResourceUri(uri, bound)) throw new ResourceNotFoundError(uri)
    subscribed.add(uri)
    await changes.start().catch((error: unknown) => {
      subscribed.delete(uri)
      throw new Error(describeError(error))
    })
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    subscribed.delete(uri)
    return {}
  })
  server.server.onclose = () => changes.stop()
}

/** The events of one `subscriptions/listen` request over HTTP (protocol of 2026). */
export type ListenEvents = {
  readonly bus: ServerEventBus
  readonly changes: ResourceChanges
  /** Whether a stream takes the events. */
  isUsed(): boolean
}

/**
 * Each stream follows the changes with its own key, so it sees what the key may see, and ends with the key. `ended` is called
 * when the stream of changes breaks: the client listens again, maybe on another server.
 */
export function createListenEvents(client: Client, bound: BoundRef, ended: () => void): ListenEvents {
  const listeners = new Set<(event: ServerEvent) => void>()
  let isUsed = false
  const changes = createResourceChanges(client, bound, {
    updated(uri) {
      for (const listener of listeners) listener({ kind: 'resource_updated', uri })
    },
    lost: ended,
  })
  const bus: ServerEventBus = {
    // Only changes of memory are events.
    publish() {},
    subscribe(listener) {
      isUsed = true
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        changes.stop()
      }
    },
  }
  return { bus, changes, isUsed: () => isUsed }
}
