import { statement } from '../connection.ts'
import type { PostgresPart } from './part.ts'

export const tenantStatus: PostgresPart = {
  none: () => ({}),
  load: async () => ({}),
  state: () => ({}),

  save(send, tenantId, sealed) {
    const last = sealed.findLast((batch) => batch.tenantStatus !== null)
    return last === undefined ? [] : [send(setStatus, [tenantId, last.tenantStatus])]
  },
}

const setStatus = statement('set_tenant_status', 'update tenant set status = $2 where tenant_id = $1')
