// Runs Kafka's command line tools one after the other in one JVM, as to start one for
// each takes longer than most of them run. Standard input: for each tool the number of
// strings, then class, what it reads from its standard input, and arguments. Standard
// output: its exit code, and all that it printed.
import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.kafka.common.utils.internals.Exit;

public class Tools {
    // Some tools catch everything and exit once more: the first exit code counts.
    static Integer exit;

    static class Ended extends RuntimeException {
        Ended(int code, String message) {
            super(message);
            if (exit == null) exit = code;
        }
    }

    static String read(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    public static void main(String[] none) throws Exception {
        DataInputStream in = new DataInputStream(System.in);
        DataOutputStream out = new DataOutputStream(System.out);
        // What a tool leaves to be done when its JVM ends: a producer sends its rest.
        List<Runnable> hooks = Collections.synchronizedList(new ArrayList<>());
        Exit.setShutdownHookAdder((name, hook) -> hooks.add(hook));
        Exit.setExitProcedure((code, message) -> { throw new Ended(code, message); });
        Exit.setHaltProcedure((code, message) -> { throw new Ended(code, message); });
        for (;;) {
            int n;
            try { n = in.readInt(); } catch (EOFException e) { System.exit(0); return; }
            String name = read(in);
            System.setIn(new ByteArrayInputStream(read(in).getBytes(StandardCharsets.UTF_8)));
            String[] args = new String[n - 2];
            for (int i = 0; i < args.length; i++) args[i] = read(in);
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            PrintStream to = new PrintStream(said, true, StandardCharsets.UTF_8);
            System.setOut(to);
            System.setErr(to);
            exit = null;
            try {
                Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) args);
            } catch (InvocationTargetException e) {
                if (exit == null) {
                    exit = 1;
                    e.getCause().printStackTrace(to);
                }
            } catch (ReflectiveOperationException e) {
                exit = 1;
                e.printStackTrace(to);
            }
            for (Runnable hook : hooks) hook.run();
            hooks.clear();
            to.flush();
            out.writeInt(exit == null ? 0 : exit);
            out.writeInt(said.size());
            said.writeTo(out);
            out.flush();
        }
    }
}
