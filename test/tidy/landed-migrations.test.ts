import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../../src/adapters/sql/migrations.ts'

/**
 * The checksum of every migration that landed. Each database stores the checksums of the migrations it got and refuses
 * others, so a migration that landed is never edited. A new migration adds a line to each list.
 */
const landed = {
  sqlite: {
    '0001-schema': '13922170972d10e1cf6ccf874890b2fbe5f74e154e83543fcb5b44fe7749fc3d',
    '0002-private-payload-hashes': '3421eee2a09d8c38a1ef23a1609887b398b92acce518c07c5c6e938642e8020f',
    '0003-assertion-seal': '21b1c0ef57cd7af39955c2445fd4206d142f0bb349cbe0a69ea9570564d07ef6',
    '0004-waiting-deliveries': 'db59bae74273a471e1756f06ce108033e041c4f80658582f5a21c0a1f910e7fb',
    '0005-index-from-entries': 'b2f2482dabc92dd7e2314f674e053a9e08ed9fa9ac45762c7c5d684722f3c85f',
    '0006-no-tenant-activity': 'e17334dbe431cf2428d144dd0a55cb33af592f9c04c2560d3bc840cd0aecbd59',
    '0007-trust-and-readers': 'cf0c8c46d6b211ad70c872c53266e09608ceb166a335067b9c290f220cd517cb',
    '0008-log-tiles': '3b75c5ec14dbe3d731bb7be2a7f3d397d630f65e39c109b4b34a6bb5d7a1044e',
    '0009-containments': 'f612c9f329c2934211eb76f2edfe5487c7e62a9f3a653cba60015db29119330f',
    '0010-restricted-entries': '8b22c7f4c42a7a39f829a06fcebc17ed51ad9738f303ac3bc41b67d51b8fd8d6',
    '0011-event-causes': '2c7f8417c24ec206b99c4dece6e4e7554eff2f8d4a315eed5e5b9ff3869c3967',
    '0012-distillations': '764bd3ddc5e7326348d4c974511387bb09160c36781732eb081713525beab4f1',
    '0013-tags-of-scopes': 'fef91bc977ca2bcb9a3ab333881f8f0cac474801a8545887f9af6f46d97b549e',
    '0014-index-of-ended-versions': 'cd69bfd1966e443f8fdf27f1ca0c9a400bb7ac38f06bf203ddd8f84c52aa3718',
    '0015-tags-by-number': '382d24497109a782ffb217a760629fe06879085aa99e560c068a1ac5dc321a99',
    '0016-numbers-of-versions': 'e8e6c5bb22402745fc568ab3ad79d3b387b5c9cb68af78afe8a90fb2d020aed8',
    '0017-index-of-stated-entries': '512f53af78f1b2e3f7fa3954a7df138d2a4a38ec0871ac8d22a81440df386960',
    '0018-spellings-of-people': 'ef53c0b33ce9d16bc89f80f6bfb8adc018de45adc5ee59b4f17eec7656aaf152',
  },
  postgres: {
    '0001-schema': '09ead2bdd953bbfad55fbdabcb14602dcaeaceaf05e820b75f4a1736b0d93a10',
    '0002-private-payload-hashes': '4674b3b0386fa96742cc5bff394249a682dd63847eeb1b9b1cbfe51ff5a23d21',
    '0003-assertion-seal': '04d434590c77726c1891c8c1f8ff85d16eda430a992251d1ebd2f4258dcd5a5d',
    '0004-waiting-deliveries': '9e70ae349b7dc690081f78087e6500401708735034028013abf228b375986bbe',
    '0005-index-from-entries': '82a6b8de95da7798b46a6093f6abc1cf8e866ee83eb95da73269b17f339f11f6',
    '0006-no-tenant-activity': 'ecc20bab138db6c9a18a41783faa5806e8f86e37e59383cf47d25387be3f77d0',
    '0007-trust-and-readers': 'ba238b6e11221d6fbc1d75ba692dffdce3dc1b58fdadb8b7cb45574928baab2f',
    '0008-log-tiles': '23d4e5202fb6e771675e78ff8776f81f12ba7d26018aa45a78cbb113babb3627',
    '0009-containments': 'f612c9f329c2934211eb76f2edfe5487c7e62a9f3a653cba60015db29119330f',
    '0010-restricted-entries': '9ba29baa9c0747da4e5ff36d189d34471d1cb0dc7bba9c151af5d8fe87f01408',
    '0011-event-causes': '1b3b0f5907b83f38903b98fd62eafff510daa219c7ff4f09e6e5c9ba0ddbd36a',
    '0012-distillations': '8b88560e9fe14a15c86b077a2389a1fa07a573f8a5ef15840c7c3fc1f0647d88',
    '0013-tags-of-scopes': '82b36eea5a80cd5aea14cb325effaeed0faa6306cafcda8289dc114511d9f935',
    '0014-index-of-ended-versions': '77840962126c94ef77648bc320bc8078037e5695181167dbd5fa80cc0736c0c9',
    '0015-tags-by-number': 'e7d6a63f835e1917cd2bcb52f24195460a4c1a55a9579a4f866c36626fcdc12a',
    '0016-numbers-of-versions': 'd5acdd1b985fb4b789623bff69a05fb259fcdac66637ef73decc0916a39e9707',
    '0017-index-of-stated-entries': '512f53af78f1b2e3f7fa3954a7df138d2a4a38ec0871ac8d22a81440df386960',
    '0018-spellings-of-people': 'fc98fe18d1fcfe81c1d514a6a2f164f10939912a996e5a2a82bc1dcd277f196b',
  },
}

for (const [database, checksums] of Object.entries(landed)) {
  test(`no migration of ${database} that landed was edited`, () => {
    const folder = `src/adapters/${database}/migrations`
    const files = readMigrations(new URL(`../../${folder}/`, import.meta.url))
    const next = String(files.length + 1).padStart(4, '0')
    for (const [name, checksum] of Object.entries(checksums)) {
      const file = files.find((candidate) => candidate.name === name)
      assert.ok(file, `${folder}/${name}.sql landed and is gone: databases have it. Restore it.`)
      assert.equal(
        file.checksum,
        checksum,
        `${folder}/${name}.sql landed and was edited: databases that have it would be refused. ` +
          `Undo the edit and add migration ${next} to both databases instead.`,
      )
    }
    for (const { name, checksum } of files) {
      assert.ok(
        name in checksums,
        `${folder}/${name}.sql is new: add '${name}': '${checksum}' to the list in this test.`,
      )
    }
  })
}
