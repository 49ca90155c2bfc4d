import type { Wire } from '../http/wire.ts'
import { host } from './host/index.ts'
import { mem0 } from './mem0/index.ts'
import { openwopV1 } from './openwop-v1/index.ts'
import { openwopV2 } from './openwop-v2/index.ts'
import { provenance } from './provenance/index.ts'

/** Every wire of the server. The first one that owns a path formats its errors. */
export const wires: readonly Wire[] = [openwopV1, openwopV2, provenance, mem0, host]
