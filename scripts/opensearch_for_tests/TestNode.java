import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/**
 * One node of an OpenSearch for tests: TestNode KEY=VALUE...
 *
 * <p>The server is the real one; only its launcher is left out, which refuses to run as root and
 * checks limits of the system. Arguments are settings of OpenSearch; path.home must be among them.
 * The log goes to standard output. With the property fanshu.while=PID the node ends when that
 * process does.
 */
public final class TestNode extends Node {
  private static final List<Class<? extends Plugin>> MODULES =
      List.of(
          Netty4Plugin.class, CommonAnalysisPlugin.class, PainlessPlugin.class, ReindexPlugin.class);

  private TestNode(Environment environment) {
    super(environment, MODULES, true);
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      settings.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    Path home = Path.of(settings.get("path.home"));
    Environment environment =
        InternalSettingsPreparer.prepareEnvironment(
            Settings.EMPTY, settings, home.resolve("config"), () -> "node");

    TestNode node = new TestNode(environment);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node), "stop"));
    String caller = System.getProperty("fanshu.while");
    if (caller != null) {
      ProcessHandle.of(Long.parseLong(caller))
          .ifPresentOrElse(one -> one.onExit().thenRun(() -> System.exit(0)), () -> System.exit(0));
    }
    try {
      node.start();
    } catch (Throwable problem) { // other threads would keep a failed node alive
      problem.printStackTrace();
      System.exit(1);
    }
    new CountDownLatch(1).await();
  }

  private static void close(TestNode node) {
    try {
      node.close();
      node.awaitClose(20, TimeUnit.SECONDS);
    } catch (IOException | InterruptedException problem) {
      problem.printStackTrace();
    }
  }
}
