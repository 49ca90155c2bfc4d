import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PackageFields, readSchemaSteps, releaseProblems } from '../../scripts/check-release.ts'
import { readDeployFile, readYaml } from './deploy-files.ts'

const fields = JSON.parse(readDeployFile('package.json')) as PackageFields & { scripts: Record<string, string> }
const workflow = readYaml('.github/workflows/release.yml')

test('the check before a release names each missing field, a wrong tag, an undated changelog and old fixtures', () => {
  const complete = { version: '1.2.3', repository: 'x', bugs: 'x', homepage: 'x' }
  const dated = '# Changelog\n\n## 1.2.3 (2027-01-31)\n'
  const steps = { migrations: 14, ofFixtures: 14 }
  assert.deepEqual(releaseProblems(complete, dated, 'v1.2.3', steps), [])
  const { homepage: _, ...rest } = complete
  assert.match(
    releaseProblems(rest, dated, 'v1.2.3', steps).join(),
    /^package\.json has no "homepage": the owner [^.]+\.$/,
  )
  assert.match(releaseProblems(complete, dated, 'v1.2.4', steps).join(), /^The tag is v1\.2\.4/)
  for (const heading of ['## 1.2.3 (not released yet)', '## 1.2.2 (2027-01-31)'])
    assert.match(releaseProblems(complete, heading, 'v1.2.3', steps).join(), /^CHANGELOG\.md has no line "## 1\.2\.3/)
  const older = { migrations: 14, ofFixtures: 13 }
  assert.match(releaseProblems(complete, dated, 'v1.2.3', older).join(), /^The databases .* have 13 migrations/)
  assert.ok(readSchemaSteps(fields.version).migrations >= 14)
})

test('while the version is not released, nothing says that it is published', () => {
  const changelog = readDeployFile('CHANGELOG.md')
  assert.match(changelog, new RegExp(`^## ${fields.version.replaceAll('.', '\\.')} \\(`, 'm'))
  if (!changelog.includes(`## ${fields.version} (not released yet)`)) return
  assert.match(readDeployFile('README.md'), /Nothing is published yet/)
  assert.match(readDeployFile('docs/guides/deployment.md'), /Neither the\s+package nor an image is published/)
  for (const file of ['README.md', 'docs/guides/quick-start.md', 'docs/guides/deployment.md'])
    assert.doesNotMatch(readDeployFile(file), /npmjs\.com\/package\/colophon|img\.shields\.io\/npm|ghcr\.io\//, file)
})

test('the workflow tests every system on both versions of Node, and publishes with provenance from a tag only', () => {
  const { test: tests, pack, image, publish } = workflow.jobs
  assert.deepEqual(tests.strategy.matrix.os, ['ubuntu-latest', 'macos-latest', 'windows-latest'])
  assert.deepEqual(tests.strategy.matrix.node, [22, 24])
  assert.deepEqual([pack.needs, image.needs, publish.needs], ['test', 'pack', ['pack', 'image']])
  assert.equal(publish.if, "github.ref_type == 'tag'")
  assert.equal(publish.permissions['id-token'], 'write')
  const commands = (job: { steps: { run?: string }[] }) => job.steps.flatMap(({ run }) => run ?? [])
  assert.match(commands(publish).join('\n'), /npm publish --provenance/)
  // In the folder of the project, npm leaves out packages that a package for development needs too.
  for (const line of commands(pack).filter((each) => each.includes('npm sbom')))
    assert.match(line, /^cd installed && npm sbom /)
  for (const job of [tests, pack, image])
    assert.doesNotMatch(commands(job).join('\n'), /npm publish/, 'only the last job publishes')
  const scripts = commands(pack).flatMap((line) => /\bnpm run (\S+)/.exec(line)?.[1] ?? [])
  for (const script of scripts) assert.ok(script in fields.scripts, script)
  assert.equal(workflow.permissions.contents, 'read')
})
