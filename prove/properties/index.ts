import type { Property } from '../property.ts'
import { authority } from './authority.ts'
import { bleed } from './bleed.ts'
import { containment } from './containment.ts'
import { duplicates } from './duplicates.ts'
import { edits } from './edits.ts'
import { erasure } from './erasure.ts'
import { foreign } from './foreign.ts'
import { hostile } from './hostile.ts'
import { keys } from './keys.ts'
import { kill } from './kill.ts'
import { laundering } from './laundering.ts'
import { provenance } from './provenance.ts'
import { replay } from './replay.ts'
import { resurrection } from './resurrection.ts'
import { retries } from './retries.ts'
import { secrets } from './secrets.ts'
import { snapshot } from './snapshot.ts'
import { split } from './split.ts'
import { sybil } from './sybil.ts'
import { tamper } from './tamper.ts'

/** In the order of the table. */
export const allProperties: readonly Property[] = [
  duplicates,
  kill,
  snapshot,
  secrets,
  authority,
  provenance,
  edits,
  containment,
  erasure,
  retries,
  resurrection,
  bleed,
  keys,
  laundering,
  sybil,
  tamper,
  split,
  foreign,
  replay,
  hostile,
]
