import type { Product } from '../product.ts'
import { colophonOnPostgres, colophonOnSqlite } from './colophon.ts'
import { langGraphMemory, langGraphPostgres } from './langgraph.ts'
import { mastra } from './mastra.ts'
import { mcpMemory } from './mcp-memory.ts'
import { mem0 } from './mem0.ts'

/** In the order of the table. */
export const allProducts: readonly Product[] = [
  colophonOnSqlite,
  colophonOnPostgres,
  mem0,
  langGraphMemory,
  langGraphPostgres,
  mastra,
  mcpMemory,
]
