import { colophonPostgres, colophonSqlite } from './colophon.ts'
import { langGraphMemory, langGraphPostgres } from './langgraph.ts'
import { mastra } from './mastra.ts'
import { colophonMcp, serverMemory } from './mcp-products.ts'
import { mem0 } from './mem0.ts'
import type { Product } from './product.ts'

/** Products that are used in the same way; the first one is Colophon, and what the others are measured by. */
export type Group = { readonly name: string; readonly products: readonly [Product, ...Product[]] }

export const groups: readonly Group[] = [
  { name: 'Library in the process', products: [colophonSqlite, mem0, langGraphMemory, mastra] },
  { name: 'Library on PostgreSQL', products: [colophonPostgres, langGraphPostgres] },
  { name: 'MCP on standard input and output', products: [colophonMcp, serverMemory] },
]

export function productOf(groupName: string, productName: string): Product {
  const product = groups.find(({ name }) => name === groupName)?.products.find(({ name }) => name === productName)
  if (product === undefined) throw new Error(`There is no product ${productName} in ${groupName}.`)
  return product
}
