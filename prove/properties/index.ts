import type { Property } from '../property.ts'
import { authority } from './authority.ts'
import { bleed } from './bleed.ts'
import { duplicates } from './duplicates.ts'
import { snapshot } from './snapshot.ts'

/** In the order of the table. */
export const allProperties: readonly Property[] = [duplicates, snapshot, authority, bleed]
