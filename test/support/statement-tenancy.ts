import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
/** PostgreSQL's own parser. Its types are left out: the tree is walked by the names of its nodes. */
const { loadModule, parseSync } = require('libpg-query') as {
  loadModule: () => Promise<void>
  parseSync: (sql: string) => { stmts: readonly { stmt: Tree }[] }
}

type Tree = { readonly [member: string]: unknown }
type Kind = 'SelectStmt' | 'InsertStmt' | 'UpdateStmt' | 'DeleteStmt'

/** A table of a statement, by the name that the statement gives it. */
type Relation = { readonly table: string; readonly alias: string }

/** What a statement does that only one PostgreSQL can do, or only slowly where tables are distributed by tenant. */
export type Finding = string

const kinds: readonly Kind[] = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']

/**
 * What keeps a statement from running on the shard of its tenant: a table whose tenant is not compared with the first parameter itself, an insert
 * whose tenant is not read from such a table, several writes in one, and `case x when` in a write.
 */
export async function findingsIn(sql: string, tablesWithoutTenant: readonly string[]): Promise<Finding[]> {
  await loadModule()
  const statement = parseSync(sql).stmts[0]?.stmt ?? {}
  const findings: Finding[] = []
  const writes: string[] = []

  function visit(node: unknown, names: ReadonlySet<string>): void {
    if (Array.isArray(node)) for (const one of node) visit(one, names)
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const tree = node as Tree
    const kind = kinds.find((name) => name in tree)
    if (kind !== undefined) visitStatement(kind, tree[kind] as Tree, names)
    else for (const [name, value] of Object.entries(tree)) visitMember(name, value, names)
  }

  /** The halves of a union have no name of their kind around them. */
  function visitMember(name: string, value: unknown, names: ReadonlySet<string>): void {
    if ((name === 'larg' || name === 'rarg') && isSelect(value)) visitStatement('SelectStmt', value, names)
    else visit(value, names)
  }

  function visitStatement(kind: Kind, tree: Tree, outer: ReadonlySet<string>): void {
    const queries = commonTables(tree)
    const names = new Set([...outer, ...queries])
    const relation = kind === 'SelectStmt' ? [] : [relationOf(tree.relation as Tree)]
    if (kind !== 'SelectStmt') writes.push(relation[0]?.table ?? '')
    if (kind === 'InsertStmt') findings.push(...insertFindings(tree, names))
    const from = [...listOf(tree.fromClause), ...listOf(tree.usingClause)]
    const compared = [
      ...(kind === 'InsertStmt' ? [] : relation.map((one) => ({ ...one, conditions: [] as unknown[] }))),
      ...from.flatMap(relationsOf),
    ].filter(({ table }) => !names.has(table) && !tablesWithoutTenant.includes(table))
    const where = conjuncts(tree.whereClause)
    for (const { alias, table, conditions } of compared) {
      const isCompared = [...where, ...conditions].some((one) => comparesTenant(one, alias, compared.length === 1))
      if (!isCompared) findings.push(`${table} ${alias}: its tenant is not compared with $1`)
    }
    for (const [name, value] of Object.entries(tree)) visitMember(name, value, names)
  }

  function insertFindings(tree: Tree, names: ReadonlySet<string>): Finding[] {
    const table = String((tree.relation as Tree).relname)
    const first = (listOf(tree.cols)[0]?.ResTarget as Tree | undefined)?.name
    if (first !== 'tenant_id') return [`insert into ${table}: its first column is not the tenant`]
    const source = (tree.selectStmt as Tree | undefined)?.SelectStmt as Tree
    const rows = listOf(source.valuesLists).map((row) => listOf((row.List as Tree).items)[0])
    if (rows.length > 0 && rows.every(isTenantParameter)) return []
    const target = ((listOf(source.targetList)[0]?.ResTarget as Tree | undefined)?.val ?? {}) as Tree
    // With a limit inside, the rows of an insert are collected by the coordinator.
    if (/"limit(?:Count|Offset)"/.test(JSON.stringify(source))) return [`insert into ${table}: its rows have a limit`]
    const [alias, column] = columnOf(target)
    const tables = listOf(source.fromClause).flatMap(relationsOf)
    const isOfTable = tables.some((one) => one.alias === alias && !names.has(one.table))
    if (column === 'tenant_id' && (isOfTable || isOfSubquery(source, alias))) return []
    return [`insert into ${table}: its tenant is not read from a table`]
  }

  visit(statement, new Set())
  if (writes.length > 1) findings.push(`several writes: ${writes.join(', ')}`)
  if (writes.length > 0 && JSON.stringify(statement).includes('"CaseExpr":{"arg"'))
    findings.push('case … when in a write')
  return findings
}

const listOf = (value: unknown): readonly Tree[] => (Array.isArray(value) ? (value as Tree[]) : [])

const isSelect = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && ('targetList' in value || 'valuesLists' in value || 'larg' in value)

function commonTables(tree: Tree): string[] {
  const { ctes } = (tree.withClause ?? {}) as { ctes?: unknown }
  return listOf(ctes).map((one) => String((one.CommonTableExpr as Tree).ctename))
}

function relationOf(range: Tree): Relation {
  const table = String(range.relname)
  return { table, alias: String((range.alias as Tree | undefined)?.aliasname ?? table) }
}

/** The tables of one item of a FROM clause, each with the conditions of the joins that hold for it. */
function relationsOf(item: Tree): (Relation & { readonly conditions: readonly unknown[] })[] {
  if ('RangeVar' in item) return [{ ...relationOf(item.RangeVar as Tree), conditions: [] }]
  if (!('JoinExpr' in item)) return []
  const { larg, rarg, jointype, quals } = item.JoinExpr as { [name: string]: unknown }
  const own = conjuncts(quals)
  const withOwn = (side: unknown, isFiltered: boolean) =>
    relationsOf(side as Tree).map((one) => ({
      ...one,
      conditions: isFiltered ? [...one.conditions, ...own] : one.conditions,
    }))
  // The condition of an outer join does not filter the side that is kept whole.
  return [...withOwn(larg, jointype === 'JOIN_INNER'), ...withOwn(rarg, jointype !== 'JOIN_RIGHT')]
}

/** `(select tenant_id from tenant where tenant_id = $1) as c`: what is inside is checked like every other statement. */
function isOfSubquery(source: Tree, alias: string | undefined): boolean {
  const hasAlias = (item: Tree): boolean => {
    const { larg, rarg } = (item.JoinExpr ?? {}) as { [side: string]: Tree | undefined }
    if (larg !== undefined && rarg !== undefined) return hasAlias(larg) || hasAlias(rarg)
    return ((item.RangeSubselect as Tree | undefined)?.alias as Tree | undefined)?.aliasname === alias
  }
  return listOf(source.fromClause).some(hasAlias)
}

function conjuncts(condition: unknown): unknown[] {
  const expression = (condition as Tree | undefined)?.BoolExpr as Tree | undefined
  if (expression?.boolop === 'AND_EXPR') return listOf(expression.args).flatMap(conjuncts)
  return condition === undefined ? [] : [condition]
}

function columnOf(node: Tree): readonly string[] {
  const fields = listOf((node.ColumnRef as Tree | undefined)?.fields)
  return fields.map((field) => String((field.String as Tree | undefined)?.sval))
}

function isTenantParameter(node: Tree | undefined): boolean {
  const cast = (node?.TypeCast as Tree | undefined)?.arg as Tree | undefined
  return ((cast ?? node)?.ParamRef as Tree | undefined)?.number === 1
}

function comparesTenant(condition: unknown, alias: string, isOnlyTable: boolean): boolean {
  const expression = (condition as Tree).A_Expr as Tree | undefined
  if (expression?.kind !== 'AEXPR_OP' || JSON.stringify(expression.name) !== '[{"String":{"sval":"="}}]') return false
  const { lexpr, rexpr } = expression as { [name: string]: Tree }
  const column = columnOf(lexpr ?? {}).join('.')
  const isItsTenant = column === `${alias}.tenant_id` || (isOnlyTable && column === 'tenant_id')
  return isItsTenant && isTenantParameter(rexpr)
}
