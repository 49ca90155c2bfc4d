import type { SourceEventPartState } from '../../../core/commit/parts/source-events.ts'
import { shownEvent } from '../forget.ts'
import { findSourceEvent } from '../provenance.ts'
import type { ModelPart } from './part.ts'

export const sourceEvents: ModelPart<SourceEventPartState> = {
  state: (tenant) => ({
    hasSourceEvent: (service, eventId) => findSourceEvent(tenant, service, eventId) !== undefined,
    isSourceForgotten: (id) => {
      const event = tenant.sourceEvents.get(id)
      return event === undefined || shownEvent(tenant, event).isErased === true
    },
  }),

  save(tenant, rows) {
    for (const event of rows.sourceEvents) tenant.sourceEvents.set(event.sourceEventId, event)
    for (const id of rows.payloadsRedacted) {
      const event = tenant.sourceEvents.get(id)
      if (event) tenant.sourceEvents.set(id, { ...event, messages: null })
    }
    for (const rewrite of rows.sourceRewrites) {
      const event = tenant.sourceEvents.get(rewrite.sourceEventId)
      const { salt, isHashPrivate, readers, scope, evidence, metadata, messages } = rewrite
      const texts = { salt, isHashPrivate, readers, scope, evidence, metadata, messages }
      if (event && !event.isErased) tenant.sourceEvents.set(rewrite.sourceEventId, { ...event, ...texts })
    }
  },
}
