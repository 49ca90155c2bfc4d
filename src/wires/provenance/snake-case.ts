/** Conversion between the snake_case of the provenance API and the camelCase of the code. */

type SnakeName<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : S
type CamelName<S extends string> = S extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelName<Rest>>}`
  : S
type Snake<T> = { [Name in keyof T as SnakeName<Name & string>]: T[Name] }
type Camel<T> = { [Name in keyof T as CamelName<Name & string>]: Exclude<T[Name], undefined> }

/** A name in snake_case. */
export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A value with the names of its members in snake_case. Nested members stay as they are. */
export function toSnake<T extends object>(value: T): Snake<T> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeName(name), member])) as Snake<T>
}

/** A request with the names of its members in camelCase, without undefined members. */
export function toCamel<T extends object>(value: T): Camel<T> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [camelName(name), member])) as Camel<T>
}

function camelName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
