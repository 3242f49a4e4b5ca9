#!/usr/bin/perl
# Stands in for an ffprobe that a hostile file controls: tries what it must not do, prints "NAME RESULT" lines.
use strict; use warnings; use Socket; use IO::Handle;
my ($input, $secret, $socket, $port, $server) = @ARGV;
STDOUT->autoflush(1);
sub report { my ($name, $result) = @_; print "$name $result\n" }
sub contents { open(my $file, '<', $_[0]) or return; binmode $file; local $/; my $text = <$file>; return $text }
sub writes { open(my $file, '>', $_[0]) or return 'refused'; print $file 'x'; return close($file) ? 'written' : 'refused' }

report('environment', join(',', sort keys %ENV));
my $environ = join('', map { contents("/proc/$_/environ") // '' } $server, getppid());
report('server-environment', $environ =~ /STAND_IN_SECRET/ ? 'read' : 'refused');
report('data-folder', contents($secret) ? 'read' : 'refused');
socket(my $local, AF_UNIX, SOCK_STREAM, 0);
report('socket', connect($local, pack_sockaddr_un($socket)) ? 'connected' : 'refused');
socket(my $remote, AF_INET, SOCK_STREAM, 0);
report('network', connect($remote, pack_sockaddr_in($port, INADDR_LOOPBACK)) ? 'connected' : 'refused');
report('memory', open(my $memory, '+<', "/proc/$server/mem") ? 'opened' : 'refused');
report('signal', kill(0, $server) ? 'possible' : 'refused');
report('descriptor', open(my $inherited, '<&=', 200) ? 'read' : 'refused');
report('input', contents($input) ? 'read' : 'refused');
report('input-write', writes($input));
report('output', writes('result'));
report('system', writes('/usr/bin/airlock-stand-in'));
report('root', writes('/airlock-stand-in'));
report('shared', writes('/tmp/airlock-stand-in'));
report('user', $>);

$SIG{XFSZ} = 'IGNORE';
open(my $huge, '>', 'huge');
report('huge', truncate($huge, 3 * 1024 * 1024) ? 'written' : 'refused');
my @children;
while (@children < 2000) {
  my $child = fork();
  last unless defined $child;
  if ($child == 0) { sleep 60; exit }
  push @children, $child;
}
report('forks', scalar @children);
kill 'KILL', @children;
