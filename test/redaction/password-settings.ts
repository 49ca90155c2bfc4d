import { Buffer } from 'node:buffer'
import type { Generator } from './generator.ts'
import type { Planted } from './secret-settings.ts'

/** Common ways to write a password down. */
export const passwordSettings: Readonly<Record<string, (p: string) => string>> = {
  'env line': (p) => `DB_HOST=db.internal\nDB_PASSWORD=${p}\nDB_PORT=5432\n`,
  'quoted env line': (p) => `export MYSQL_ROOT_PASSWORD="${p}"`,
  'json field': (p) => `{"username":"ada","password":"${p}","remember":true}`,
  'pretty json field': (p) => `{\n  "smtp": { "user": "ada", "pass": "${p}" }\n}`,
  'escaped json': (p) => JSON.stringify(JSON.stringify({ user: 'ada', password: p })),
  'yaml field': (p) => `database:\n  user: ada\n  password: ${p}\n  pool: 5\n`,
  'quoted yaml field': (p) => `db_password: '${p}'`,
  prose: (p) => `My password is ${p} and please do not share it.`,
  'prose with purpose': (p) => `The password for the staging database is ${p}`,
  'prose with colon': (p) => `Here are the details. Password: ${p}`,
  'short chat': (p) => `user ada\npw: ${p}`,
  german: (p) => `Das Passwort lautet ${p}`,
  'wifi note': (p) => `wifi password: ${p}`,
  'login pair': (p) => `Login: ada / ${p}`,
  'credentials pair': (p) => `The credentials are admin:${p}`,
  flag: (p) => `psql-tool --host db --password ${p} --user ada`,
  'flag with equals': (p) => `mysqldump --user=ada --password=${p} app > dump.sql`,
  'mysql -p': (p) => `mysql -u root -p${p} app`,
  sshpass: (p) => `sshpass -p '${p}' ssh ada@10.0.0.5`,
  'curl -u': (p) => `curl -u ada:${p} https://api.internal/v1`,
  'curl --user': (p) => `curl --silent --user "ada:${p}" https://api.internal/v1`,
  'pg variable': (p) => `PGPASSWORD=${p} psql -h db.internal -U ada app`,
  'ado connection string': (p) => `Server=db.internal;Database=app;User Id=sa;Password=${p};Encrypt=true`,
  'short connection string': (p) => `Data Source=db;Initial Catalog=app;uid=sa;pwd=${p};`,
  'java properties': (p) => `spring.datasource.username=ada\nspring.datasource.password=${p}\n`,
  xml: (p) => `<connection><user>ada</user><password>${p}</password></connection>`,
  'xml attribute': (p) => `<add key="DbPassword" value="${p}" />`,
  netrc: (p) => `machine api.internal login ada password ${p}`,
  php: (p) => `define('DB_PASSWORD', '${p}');`,
  'php array': (p) => `'username' => 'ada',\n'password' => '${p}',`,
  python: (p) => `conn = connect(host="db", user="ada", password="${p}")`,
  javascript: (p) => `const password = '${p}'`,
  java: (p) => `private static final String DB_PASSWORD = "${p}";`,
  go: (p) => `password := "${p}"`,
  csharp: (p) => `public string Password { get; set; } = "${p}"; // password: "${p}"`,
  sql: (p) => `ALTER USER ada WITH PASSWORD '${p}';`,
  'sql identified': (p) => `CREATE USER 'ada'@'%' IDENTIFIED BY '${p}';`,
  ansible: (p) => `web1 ansible_user=ada ansible_ssh_pass=${p} ansible_port=22`,
  'query string': (p) => `POST /login?user=ada&password=${encodeURIComponent(p)}&next=%2F`,
  'postgres url': (p) => `DATABASE_URL=postgres://ada:${encodeURIComponent(p)}@db.internal:5432/app?sslmode=require`,
  'mysql url': (p) => `mysql://root:${encodeURIComponent(p)}@10.0.0.5:3306/app`,
  'mongodb url': (p) => `mongodb+srv://ada:${encodeURIComponent(p)}@cluster0.a1b2c.mongodb.net/app?retryWrites=true`,
  'redis url': (p) => `redis://:${encodeURIComponent(p)}@cache.internal:6379/0`,
  'amqp url': (p) => `amqps://ada:${encodeURIComponent(p)}@mq.internal/vhost`,
  'https url': (p) => `git clone https://ada:${encodeURIComponent(p)}@git.internal/app.git`,
  'ftp url': (p) => `ftp://ada:${encodeURIComponent(p)}@files.internal/pub`,
  'smtp url': (p) => `smtps://ada%40app.com:${encodeURIComponent(p)}@smtp.internal:465`,
  'jdbc url': (p) => `jdbc:postgresql://db.internal:5432/app?user=ada&password=${encodeURIComponent(p)}`,
  'jdbc sqlserver': (p) => `jdbc:sqlserver://db.internal:1433;databaseName=app;user=sa;password=${p};encrypt=true`,
  'basic header': (p) => `Authorization: Basic ${Buffer.from(`ada:${p}`).toString('base64')}`,
  'docker auth': (p) => `{"auths":{"registry.internal":{"auth":"${Buffer.from(`ada:${p}`).toString('base64')}"}}}`,
  pgpass: (p) => `db.internal:5432:app:ada:${p}`,
  passphrase: (p) => `ssh key passphrase: ${p}`,
  terraform: (p) => `resource "aws_db_instance" "db" {\n  username = "ada"\n  password = "${p}"\n}`,
  'markdown bold': (p) => `**Username:** ada\n**Password:** ${p}`,
  'markdown table': (p) => `| user | ada |\n| password | ${p} |`,
  'kubernetes secret': (p) => `kind: Secret\nstringData:\n  password: "${p}"`,
  'docker compose': (p) => `    environment:\n      - POSTGRES_PASSWORD=${p}\n      - POSTGRES_USER=ada`,
}

/** Keys with a frame, in the wrappings in which they travel. */
export function framedSecrets(g: Generator): Planted[] {
  const body = (lines: number) => Array.from({ length: lines }, () => g.base64(48)).concat(g.base64(20))
  const frame = (name: string, lines: string[], join = '\n') =>
    [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`].join(join)
  const named = (...parts: string[]) => parts.join(' ')
  const priv = ['PRIV', 'ATE KEY'].join('')
  const out: Planted[] = []
  const plant = (kind: string, lines: string[], wrap: (lines: string[]) => string) =>
    out.push({ kind, text: wrap(lines), secret: lines[1] ?? lines[0] ?? '' })
  for (const type of ['RSA', 'EC', 'DSA', 'OPENSSH', 'ENCRYPTED', '']) {
    const name = type ? named(type, priv) : priv
    plant(`pem ${type || 'pkcs8'}`, body(8), (lines) => `key:\n${frame(name, lines)}\nend`)
    plant(`pem ${type || 'pkcs8'} escaped`, body(8), (lines) => JSON.stringify({ private_key: frame(name, lines) }))
  }
  const rsa = named('RSA', priv)
  plant('pem twice escaped', body(8), (lines) => JSON.stringify(JSON.stringify({ key: frame(rsa, lines) })))
  plant('pem one line', body(8), (lines) => `KEY="${frame(rsa, lines, ' ')}"`)
  plant('pem without breaks', body(8), (lines) => frame(rsa, lines, ''))
  plant('pem crlf', body(8), (lines) => frame(rsa, lines, '\r\n'))
  plant('pem indented', body(8), (lines) => `tls:\n  key: |\n    ${frame(rsa, lines, '\n    ')}`)
  plant('pem quoted reply', body(8), (lines) => `> ${frame(rsa, lines, '\n> ')}`)
  plant('pem in code', body(8), (lines) => `"${frame(rsa, lines, '\\n" +\n  "')}"`)
  plant('pem cut off', body(8), (lines) => `${frame(rsa, lines).split('-----END')[0]}`)
  plant('pem url-encoded', body(8), (lines) => encodeURIComponent(frame(rsa, lines)))
  plant('pem encrypted', body(8), (lines) =>
    frame(rsa, ['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,A1B2', '', ...lines]),
  )
  plant('pem in base64', body(8), (lines) => Buffer.from(frame(rsa, lines)).toString('base64'))
  for (const planted of out.filter(({ kind }) => kind === 'pem in base64'))
    Object.assign(planted, { secret: planted.text.slice(60, 120) })
  for (const planted of out.filter(({ kind }) => kind === 'pem url-encoded'))
    Object.assign(planted, { secret: encodeURIComponent(planted.secret) })
  plant('pgp key', body(12), (lines) => frame(`PGP ${priv} BLOCK`, ['Version: GnuPG v2', '', ...lines, '=aB3d']))
  plant(
    'ssh2 key',
    body(6),
    (lines) =>
      ['---- BEGIN SSH2 ENCRYPTED', priv, '----\nComment: "ada"\n'].join(' ') +
      lines.join('\n') +
      `\n---- END SSH2 ENCRYPTED ${priv} ----`,
  )
  plant(
    'putty key',
    body(3),
    (lines) =>
      `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: ada\nPublic-Lines: 1\nAAAAB3NzaC1yc2E=\nPrivate-Lines: ${lines.length}\n${lines.join('\n')}\nPrivate-MAC: ${g.hex(64)}`,
  )
  plant(
    'openssh body',
    [`b3BlbnNza${'C1rZXktdjE'}AAAAABG5vbmU${g.base64(60)}`],
    (lines) => `deploy key body ${lines[0]}`,
  )
  return out
}
