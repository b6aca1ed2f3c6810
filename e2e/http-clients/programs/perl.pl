# perl perl.pl CLIENT STEP URL [STEP URL]…: the steps are those of node.mjs.
use strict;
$| = 1;
my $TIMEOUT = 3;
my $BODY = '{"name":"Rex","photoUrls":[]}';
my %TYPE = ('Content-Type' => 'application/json');

# Each client is call(method, url, headers, body, timeout) → (status, body), which dies, and json(url), if it has one.
my %CLIENTS = (
  LWP => sub {
    require LWP::UserAgent;
    my $ua = LWP::UserAgent->new;
    return sub {
      my ($method, $url, $headers, $body, $timeout) = @_;
      $ua->timeout($timeout) if $timeout;
      my $r = $method eq 'GET' ? $ua->get($url, %$headers) : $ua->post($url, %$headers, Content => $body);
      die $r->status_line if ($r->header('Client-Warning') // '') eq 'Internal response';
      return ($r->code, $r->decoded_content);
    };
  },
  Tiny => sub {
    require HTTP::Tiny;
    my $ua = HTTP::Tiny->new;
    return sub {
      my ($method, $url, $headers, $body, $timeout) = @_;
      $ua->timeout($timeout) if $timeout;
      my $r = $ua->request($method, $url, { headers => $headers, defined $body ? (content => $body) : () });
      die $r->{content} if $r->{status} == 599;
      return ($r->{status}, $r->{content});
    };
  },
  Mojo => sub {
    require Mojo::UserAgent;
    my $ua = Mojo::UserAgent->new;
    return sub {
      my ($method, $url, $headers, $body, $timeout) = @_;
      $ua->inactivity_timeout($timeout) if $timeout;
      my $tx = $method eq 'GET' ? $ua->get($url, $headers) : $ua->post($url, $headers, $body);
      die $tx->error->{message} if $tx->error && !$tx->error->{code};
      return ($tx->res->code, $tx->res->body);
    }, sub { $ua->get($_[0])->result->json };
  },
  Furl => sub {
    require Furl;
    my %ua = (0 => Furl->new, $TIMEOUT => Furl->new(timeout => $TIMEOUT));
    return sub {
      my ($method, $url, $headers, $body, $timeout) = @_;
      my $ua = $ua{ $timeout // 0 };
      my $r = $method eq 'GET' ? $ua->get($url, [%$headers]) : $ua->post($url, [%$headers], $body);
      # Furl reports its own failures as a 500 with this header.
      die $r->status_line . ' ' . $r->content if $r->header('X-Internal-Response');
      return ($r->code, $r->content);
    };
  },
);

my ($call, $json) = $CLIENTS{ shift @ARGV }->();
my %STEPS = (
  get => ['GET', {}],
  post => ['POST', \%TYPE, $BODY],
  key => ['POST', { %TYPE, 'Idempotency-Key' => 'k1' }, $BODY],
  timeout => ['GET', {}, undef, $TIMEOUT],
);
while (my ($step, $url) = splice @ARGV, 0, 2) {
  my $line = eval {
    if ($step eq 'json') { return 'NA' unless $json; return 'JSON ' . (defined $json->($url) ? 'a value' : 'null') }
    my ($method, @rest) = @{ $STEPS{$step} };
    my ($status, $content) = $call->($method, $url, @rest);
    'OK ' . $status . ' ' . length $content;
  } // "ERR $@";
  $line =~ s/\s+/ /g;
  print "$line\n";
}
