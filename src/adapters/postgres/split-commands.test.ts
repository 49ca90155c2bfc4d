import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresMigrations } from './migrate.ts'
import { splitCommands } from './split-commands.ts'

test('a script is split at the semicolons between its commands', () => {
  const script = `
    -- First; the comment belongs to its command.
    create table a (note text default 'x;''y');
    /* ; */ comment on table "a;b" is $q$ ; $q$;;
    select 1 -- the last ; one
    -- and nothing else;
  `
  assert.deepEqual(
    splitCommands(script).map((command) => command.replaceAll(/\s+/g, ' ')),
    [
      "-- First; the comment belongs to its command. create table a (note text default 'x;''y')",
      '/* ; */ comment on table "a;b" is $q$ ; $q$',
      'select 1 -- the last ; one -- and nothing else;',
    ],
  )
  assert.deepEqual(splitCommands('-- This database needs no change.\n'), [])
})

test('no text of the migrations is lost', () => {
  for (const { sql } of postgresMigrations) {
    const withoutEnds = (text: string) => text.replaceAll(/--[^\n]*/g, '').replaceAll(/[\s;]+/g, '')
    assert.equal(withoutEnds(splitCommands(sql).join(' ')), withoutEnds(sql))
    for (const command of splitCommands(sql)) assert.match(command, /^(?:--[^\n]*\n\s*)*\w+ /)
  }
})
